/** One kind of error: what it is, where it happens, and what was on screen. */
import { ArrowLeftOutlined } from '@ant-design/icons'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import {
  allErrorGroups,
  errorGroupQuery,
  removeErrorGroup,
  type ErrorGroupDetail,
} from '../../api/errorGroups'
import { BlockSkeleton } from '../../components/charts/DataCard'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { FormError } from '../../components/form/FormError'
import { LinkButton } from '../../components/LinkButton'
import { Loaded } from '../../components/Loaded'
import { Page } from '../../components/Page'
import { EmptyFace } from '../../components/table/EmptyFace'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { ErrorFacts } from './ErrorFacts'
import { ErrorReports } from './ErrorReports'
import { ErrorStack } from './ErrorStack'
import { OperatorOnly } from './OperatorOnly'
import styles from './errors.module.css'

export default function ErrorPage() {
  const t = useT()
  const { groupId = '' } = useParams()
  return (
    <OperatorOnly>
      <Page
        wide
        title={t('title.error')}
        lead={
          <Link to={paths.errors()}>
            <ArrowLeftOutlined aria-hidden /> {t('errors.back')}
          </Link>
        }
      >
        <ErrorOfKind key={groupId} id={groupId} />
      </Page>
    </OperatorOnly>
  )
}

function ErrorOfKind({ id }: { id: string }) {
  const t = useT()
  const group = useQuery(errorGroupQuery(id))
  return (
    <Loaded
      query={group}
      skeleton={
        <>
          <BlockSkeleton height={160} />
          <BlockSkeleton height={320} />
        </>
      }
      missing={
        <EmptyFace
          title={t('errors.gone')}
          action={<LinkButton to={paths.errors()}>{t('errors.back')}</LinkButton>}
        >
          {t('errors.goneText')}
        </EmptyFace>
      }
    >
      {(detail) => <Found detail={detail} />}
    </Loaded>
  )
}

function Found({ detail: { group, latest } }: { detail: ErrorGroupDetail }) {
  const t = useT()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const removing = useMutation({
    mutationFn: () => removeErrorGroup(group.id),
    onSuccess: async () => {
      await navigate(paths.errors())
      await client.invalidateQueries(allErrorGroups)
    },
    onError: () => setAsking(false),
  })
  return (
    <>
      <div className={styles.head}>
        <h2 className={styles.title}>
          {group.kind}
          <span className={styles.message}>{group.message}</span>
        </h2>
        <Button danger onClick={() => setAsking(true)}>
          {t('errors.remove')}
        </Button>
      </div>
      <FormError>{removing.error?.message}</FormError>
      <ErrorFacts group={group} latest={latest ?? null} />
      {latest ? (
        <ErrorStack report={latest} />
      ) : (
        <EmptyFace title={t('errors.noReport')}>{t('errors.noReportText')}</EmptyFace>
      )}
      <ErrorReports groupId={group.id} />
      <ConfirmDialog
        open={asking}
        danger
        title={t('errors.removeTitle')}
        confirm={t('errors.remove')}
        busy={removing.isPending}
        onConfirm={() => removing.mutate()}
        onCancel={() => setAsking(false)}
      >
        <p>{t('errors.removeText')}</p>
      </ConfirmDialog>
    </>
  )
}
