/** Named sets of people, and how many are in each. */
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { Link } from 'react-router'
import { cohortsQuery, type Cohort } from '../../../api/analyses'
import { CohortDialog } from '../../../components/analyses/cohorts/CohortDialog'
import { CohortSize } from '../../../components/analyses/cohorts/CohortSize'
import { DeleteCohort } from '../../../components/analyses/cohorts/DeleteCohort'
import { Page } from '../../../components/Page'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { useT } from '../../../i18n/useT'
import { goTo } from '../../../lib/navigation'
import { paths } from '../../../paths'
import { useApp } from '../../../session/app'
import { KeptList } from '../kept/KeptList'
import { useKeptParams } from '../kept/useKeptParams'
import { EditCohort } from './EditCohort'
import { trendOf } from './trendOf'
import { useCohortsChanged } from './useCohortsChanged'

type Doing = { does: 'create' } | { does: 'edit' | 'delete'; cohort: Cohort }

export default function CohortsPage() {
  const t = useT()
  const { app, mayChange } = useApp()
  const params = useKeptParams()
  const cohorts = useQuery(cohortsQuery(app.id, { ...params.asked, whose: params.whose }))
  const [doing, setDoing] = useState<Doing | null>(null)
  const changed = useCohortsChanged()
  const close = () => setDoing(null)
  const done = () => {
    close()
    changed()
  }
  const create = mayChange('query:run') && (
    <Button type="primary" onClick={() => setDoing({ does: 'create' })}>
      {t('cohorts.create')}
    </Button>
  )
  return (
    <Page wide title={t('title.cohorts')} lead={t('cohorts.lead')}>
      <KeptList
        label={t('title.cohorts')}
        searchLabel={t('cohorts.search')}
        params={params}
        query={cohorts}
        create={create}
        link={({ id, name }) => <Link to={paths.workspace.cohort(app, id)}>{name}</Link>}
        columns={[
          {
            key: 'definition',
            title: t('cohorts.who'),
            render: ({ definition }) => t(`cohorts.by.${definition.of}`),
          },
          {
            key: 'size',
            title: t('cohorts.size'),
            numeric: true,
            render: ({ id }) => <CohortSize id={id} />,
          },
        ]}
        actionsOf={(cohort) => [
          { key: 'trend', label: t('cohorts.trend'), onChoose: () => goTo(trendOf(app, cohort)) },
          ...(cohort.may_change && mayChange('query:run')
            ? [
                {
                  key: 'edit',
                  label: t('cohorts.edit'),
                  onChoose: () => setDoing({ does: 'edit', cohort }),
                },
                {
                  key: 'delete',
                  label: t('cohorts.delete'),
                  danger: true,
                  onChoose: () => setDoing({ does: 'delete', cohort }),
                },
              ]
            : []),
        ]}
        empty={<EmptyFace title={t('cohorts.none')}>{t('cohorts.noneText')}</EmptyFace>}
      />
      {doing?.does === 'create' && (
        <CohortDialog
          onDone={(cohort) => {
            done()
            goTo(paths.workspace.cohort(app, cohort.id))
          }}
          onCancel={close}
        />
      )}
      {doing?.does === 'edit' && (
        <EditCohort cohort={doing.cohort} onDone={done} onCancel={close} />
      )}
      {doing?.does === 'delete' && (
        <DeleteCohort
          cohort={doing.cohort}
          onDone={() => {
            close()
            changed(doing.cohort.id)
          }}
          onCancel={close}
        />
      )}
    </Page>
  )
}
