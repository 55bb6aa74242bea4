/** One user or device: properties, activity, and related devices or users. */
import { ArrowLeftOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { PERSON_KINDS, profileQuery, type PersonKind } from '../../../api/people'
import { BlockSkeleton } from '../../../components/charts/DataCard'
import { CopyButton } from '../../../components/CopyButton'
import { Loaded } from '../../../components/Loaded'
import { Page } from '../../../components/Page'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { LinkButton } from '../../../components/LinkButton'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { paths } from '../../../paths'
import { PersonFacts } from './PersonFacts'
import { PersonTimeline } from './PersonTimeline'
import shared from '../workspace.module.css'
import styles from './people.module.css'

export default function PersonPage() {
  const t = useT()
  const { app } = useApp()
  const { kind: named, ref = '' } = useParams()
  const kind = PERSON_KINDS.find((one) => one === named) ?? 'user'
  const list = paths.workspace.people(app, { tab: kind === 'user' ? undefined : kind })
  return (
    <Page
      wide
      title={t(`people.${kind}`)}
      lead={
        <Link to={list}>
          <ArrowLeftOutlined aria-hidden /> {t(`people.back.${kind}`)}
        </Link>
      }
    >
      <Person key={`${kind} ${ref}`} kind={kind} personRef={ref} list={list} />
    </Page>
  )
}

interface PersonProps {
  kind: PersonKind
  personRef: string
  list: string
}

function Person({ kind, personRef, list }: PersonProps) {
  const t = useT()
  const { app } = useApp()
  const profile = useQuery(profileQuery(app.id, kind, personRef))
  return (
    <Loaded
      query={profile}
      skeleton={
        <div className={styles.columns}>
          <BlockSkeleton height={320} />
          <BlockSkeleton height={520} />
        </div>
      }
      missing={
        <EmptyFace
          title={t(`people.gone.${kind}`)}
          action={<LinkButton to={list}>{t(`people.back.${kind}`)}</LinkButton>}
        >
          {t('people.goneText')}
        </EmptyFace>
      }
    >
      {(found) => (
        <>
          <p className={styles.id}>
            <code className={shared.mono}>{found.id}</code>
            <CopyButton compact text={found.id}>
              {t('appDetail.copyId')}
            </CopyButton>
          </p>
          <div className={styles.columns}>
            <div className={styles.column}>
              <PersonFacts kind={kind} profile={found} />
            </div>
            <div className={styles.column}>
              <PersonTimeline kind={kind} personRef={personRef} />
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}
