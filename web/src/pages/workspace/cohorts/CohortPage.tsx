/** One cohort: its definition, and its current members. */
import { ArrowLeftOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { cohortQuery, type Cohort } from '../../../api/analyses'
import { CohortDialog } from '../../../components/analyses/cohorts/CohortDialog'
import { DeleteCohort } from '../../../components/analyses/cohorts/DeleteCohort'
import { LinkButton } from '../../../components/LinkButton'
import { Loaded } from '../../../components/Loaded'
import { Page } from '../../../components/Page'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { useT } from '../../../i18n/useT'
import { goTo } from '../../../lib/navigation'
import { paths } from '../../../paths'
import { useApp } from '../../../session/app'
import { CohortFacts } from './CohortFacts'
import { CohortPeople } from './CohortPeople'
import { CohortSizes } from './CohortSizes'
import { trendOf } from './trendOf'
import { useCohortsChanged } from './useCohortsChanged'
import styles from './cohorts.module.css'

export default function CohortPage() {
  const t = useT()
  const { app } = useApp()
  const { cohortId = '' } = useParams()
  const cohort = useQuery(cohortQuery(app.id, cohortId))
  const list = paths.workspace.cohorts(app)
  return (
    <Page
      wide
      title={cohort.data?.name ?? t('title.cohort')}
      lead={
        <Link to={list}>
          <ArrowLeftOutlined aria-hidden /> {t('cohorts.back')}
        </Link>
      }
    >
      <Loaded
        query={cohort}
        skeleton={8}
        missing={
          <EmptyFace
            title={t('cohorts.gone')}
            action={<LinkButton to={list}>{t('cohorts.back')}</LinkButton>}
          >
            {t('cohorts.goneText')}
          </EmptyFace>
        }
      >
        {(found) => <Content key={found.id} cohort={found} />}
      </Loaded>
    </Page>
  )
}

function Content({ cohort }: { cohort: Cohort }) {
  const t = useT()
  const { app, may, mayChange } = useApp()
  const changed = useCohortsChanged()
  const [doing, setDoing] = useState<'edit' | 'delete' | null>(null)
  const close = () => setDoing(null)
  return (
    <div className={styles.cohort}>
      <div className={styles.actions}>
        <LinkButton type="primary" to={trendOf(app, cohort)}>
          {t('cohorts.trend')}
        </LinkButton>
        {cohort.may_change && mayChange('query:run') && (
          <>
            <Button onClick={() => setDoing('edit')}>{t('cohorts.edit')}</Button>
            <Button danger onClick={() => setDoing('delete')}>
              {t('cohorts.delete')}
            </Button>
          </>
        )}
      </div>
      <CohortFacts cohort={cohort} />
      <CohortSizes id={cohort.id} />
      {may('profile:view') ? (
        <CohortPeople id={cohort.id} />
      ) : (
        <p className={styles.soft}>{t('cohorts.peopleNeed')}</p>
      )}
      {doing === 'edit' && (
        <CohortDialog
          cohort={cohort}
          onDone={() => {
            close()
            changed()
          }}
          onCancel={close}
        />
      )}
      {doing === 'delete' && (
        <DeleteCohort
          cohort={cohort}
          onDone={() => {
            goTo(paths.workspace.cohorts(app), { replace: true })
            changed(cohort.id)
          }}
          onCancel={close}
        />
      )}
    </div>
  )
}
