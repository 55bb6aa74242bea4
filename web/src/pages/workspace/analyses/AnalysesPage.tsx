/** The analyses that were kept, and the ways to begin another. */
import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useState } from 'react'
import { Link } from 'react-router'
import { analysesQuery, type Analysis } from '../../../api/analyses'
import { KindIcon } from '../../../components/analyses/kinds'
import { ActionMenu } from '../../../components/ActionMenu'
import { Badge } from '../../../components/Badge'
import { besideField } from '../../../components/form/TimezoneSelect'
import { Moment } from '../../../components/Moment'
import { Page } from '../../../components/Page'
import type { Column } from '../../../components/table/columns'
import { DataTable } from '../../../components/table/DataTable'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { useTableParams } from '../../../components/table/useTableParams'
import type { Translate } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { paths } from '../../../paths'
import { useApp, type OpenApp } from '../../../session/app'
import { DeleteAnalysis } from './DeleteAnalysis'
import { Examples } from './Examples'
import { KindCards } from './KindCards'
import { keptRows, MOST_KEPT, WHOSE, type Whose } from './keptRows'
import shared from '../workspace.module.css'

const SORTS = ['name', 'updated_at'] as const
const FILTERS = ['whose'] as const
const CHOICES = { sorts: SORTS, filters: FILTERS }

export default function AnalysesPage() {
  const t = useT()
  const open = useApp()
  const { app } = open
  const [params, setParams] = useTableParams(CHOICES)
  const whose: Whose = WHOSE.find((one) => one === params.whose) ?? 'all'
  const { page, page_size, search, sort = 'updated_at', order = 'desc' } = params
  const pages = whose === 'all' ? { page, page_size } : { page: 1, page_size: MOST_KEPT }
  const kept = useQuery({
    ...analysesQuery(app.id, { ...pages, search, sort, order }),
    select: (answer) => keptRows(answer, { page, page_size, whose }),
  })
  const [deleting, setDeleting] = useState<Analysis | null>(null)
  const none = kept.data?.total === 0 && !search && whose === 'all'
  return (
    <Page wide title={t('title.analyses')} lead={t('analyses.lead')}>
      <KindCards />
      {none && <Examples />}
      <Toolbar>
        <SearchBox
          className={shared.search}
          label={t('analyses.search')}
          value={search}
          onSearch={(text) => setParams({ search: text })}
        />
        <Select<Whose>
          className={shared.filter}
          aria-label={t('analyses.whose')}
          value={whose}
          getPopupContainer={besideField}
          options={WHOSE.map((value) => ({ value, label: t(`analyses.whose.${value}`) }))}
          onChange={(value) => setParams({ whose: value === 'all' ? undefined : value })}
        />
      </Toolbar>
      <DataTable
        label={t('analyses.kept')}
        query={kept}
        params={{ ...params, sort, order }}
        onChange={setParams}
        filtered={whose !== 'all'}
        skeletonRows={5}
        onClear={() => setParams({ search: undefined, whose: undefined })}
        rowKey={({ id }) => id}
        columns={columns(t, open, setDeleting)}
        empty={<EmptyFace title={t('analyses.none')}>{t('analyses.noneText')}</EmptyFace>}
      />
      {deleting && (
        <DeleteAnalysis
          analysis={deleting}
          onDone={() => setDeleting(null)}
          onCancel={() => setDeleting(null)}
        />
      )}
    </Page>
  )
}

function columns(
  t: Translate,
  { app, mayChange }: OpenApp,
  onDelete: (analysis: Analysis) => void,
): Column<Analysis>[] {
  return [
    {
      key: 'name',
      title: t('analyses.name'),
      sorts: true,
      heads: true,
      render: ({ id, name, kind, description }) => (
        <>
          <KindIcon kind={kind} />{' '}
          <Link to={paths.workspace.analysis(app, kind, { saved: id })}>{name}</Link>
          {description && <div className={shared.soft}>{description}</div>}
        </>
      ),
    },
    {
      key: 'kind',
      title: t('analyses.kindTitle'),
      render: ({ kind }) => t(`analyses.kind.${kind}`),
    },
    {
      key: 'shared',
      title: t('analyses.for'),
      render: (one) => (
        <Badge tone="soft">{t(one.shared ? 'analyses.for.app' : 'analyses.for.me')}</Badge>
      ),
    },
    {
      key: 'created_by',
      title: t('analyses.by'),
      render: ({ created_by }) => created_by?.name ?? t('analyses.byNobody'),
    },
    {
      key: 'updated_at',
      title: t('analyses.updatedAt'),
      sorts: true,
      largestFirst: true,
      render: ({ updated_at }) => <Moment at={updated_at} />,
    },
    {
      key: 'actions',
      title: t('common.actions'),
      actions: true,
      render: (one) => (
        <ActionMenu
          label={t('table.actionsOf', { name: one.name })}
          actions={
            one.may_change && mayChange('query:run')
              ? [
                  {
                    key: 'delete',
                    label: t('analyses.delete'),
                    danger: true,
                    onChoose: () => onDelete(one),
                  },
                ]
              : []
          }
        />
      ),
    },
  ]
}
