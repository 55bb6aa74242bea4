/** Sets of people that have a name, and who is in each. */
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { Link } from 'react-router'
import { cohortsQuery, type Cohort } from '../../../api/analyses'
import { CohortDialog } from '../../../components/analyses/cohorts/CohortDialog'
import { CohortSize } from '../../../components/analyses/cohorts/CohortSize'
import { DeleteCohort } from '../../../components/analyses/cohorts/DeleteCohort'
import { ActionMenu } from '../../../components/ActionMenu'
import { Badge } from '../../../components/Badge'
import { Moment } from '../../../components/Moment'
import { Page } from '../../../components/Page'
import type { Column } from '../../../components/table/columns'
import { UNKNOWN } from '../../../components/table/Counted'
import { DataTable } from '../../../components/table/DataTable'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { sortedBy, useTableParams } from '../../../components/table/useTableParams'
import { useT } from '../../../i18n/useT'
import { goTo } from '../../../lib/navigation'
import { paths } from '../../../paths'
import { useApp } from '../../../session/app'
import { EditCohort } from './EditCohort'
import { trendOf } from './trendOf'
import { useCohortsChanged } from './useCohortsChanged'
import shared from '../workspace.module.css'

const CHOICES = { sorts: ['name', 'updated_at'] }

type Doing = { does: 'create' } | { does: 'edit' | 'delete'; cohort: Cohort }

export default function CohortsPage() {
  const t = useT()
  const { app, mayChange } = useApp()
  const [asked, setParams] = useTableParams(CHOICES)
  const params = sortedBy('updated_at', asked)
  const cohorts = useQuery(cohortsQuery(app.id, params))
  const [doing, setDoing] = useState<Doing | null>(null)
  const changed = useCohortsChanged()
  const columns = useColumns(setDoing)
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
      <Toolbar actions={create}>
        <SearchBox
          className={shared.search}
          label={t('cohorts.search')}
          value={params.search}
          onSearch={(search) => setParams({ search })}
        />
      </Toolbar>
      <DataTable
        label={t('title.cohorts')}
        query={cohorts}
        params={params}
        onChange={setParams}
        onClear={() => setParams({ search: undefined })}
        skeletonRows={5}
        rowKey={({ id }) => id}
        columns={columns}
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

function useColumns(onDo: (doing: Doing) => void): Column<Cohort>[] {
  const t = useT()
  const { app, mayChange } = useApp()
  return [
    {
      key: 'name',
      title: t('cohorts.name'),
      sorts: true,
      heads: true,
      render: ({ id, name, description }) => (
        <>
          <Link to={paths.workspace.cohort(app, id)}>{name}</Link>
          {description && <div className={shared.soft}>{description}</div>}
        </>
      ),
    },
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
    {
      key: 'shared',
      title: t('cohorts.for'),
      render: (cohort) => (
        <Badge tone="soft">{t(cohort.shared ? 'cohorts.for.app' : 'cohorts.for.me')}</Badge>
      ),
    },
    {
      key: 'created_by',
      title: t('cohorts.maker'),
      render: ({ created_by }) => created_by?.name ?? UNKNOWN,
    },
    {
      key: 'updated_at',
      title: t('cohorts.updated'),
      sorts: true,
      largestFirst: true,
      render: ({ updated_at }) => <Moment at={updated_at} />,
    },
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      render: (cohort) => (
        <ActionMenu
          label={t('table.actionsOf', { name: cohort.name })}
          actions={[
            { key: 'trend', label: t('cohorts.trend'), onChoose: () => goTo(trendOf(app, cohort)) },
            ...(cohort.may_change && mayChange('query:run')
              ? [
                  {
                    key: 'edit',
                    label: t('cohorts.edit'),
                    onChoose: () => onDo({ does: 'edit', cohort }),
                  },
                  {
                    key: 'delete',
                    label: t('cohorts.delete'),
                    danger: true,
                    onChoose: () => onDo({ does: 'delete', cohort }),
                  },
                ]
              : []),
          ]}
        />
      ),
    },
  ]
}
