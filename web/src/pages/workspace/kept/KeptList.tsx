/** An app's saved analyses or cohorts, with search and a filter by ownership. */
import type { UseQueryResult } from '@tanstack/react-query'
import { Select } from 'antd'
import type { Kept } from '../../../api/analyses'
import { ActionMenu, type Action } from '../../../components/ActionMenu'
import { Badge } from '../../../components/Badge'
import { besideField } from '../../../components/form/TimezoneSelect'
import { Moment } from '../../../components/Moment'
import type { Column, Rows } from '../../../components/table/columns'
import { DataTable } from '../../../components/table/DataTable'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import { useT } from '../../../i18n/useT'
import { WHOSE, type KeptParams } from './useKeptParams'
import shared from '../workspace.module.css'

interface KeptListProps<One extends Kept> {
  label: string
  searchLabel: string
  params: KeptParams
  query: UseQueryResult<Rows<One>>
  /** The item's name, linked. */
  link: (one: One) => React.ReactNode
  /** Columns between the name and the visibility. */
  columns: Column<One>[]
  actionsOf: (one: One) => Action[]
  /** Shown beside the search. */
  create?: React.ReactNode
  empty: React.ReactNode
}

export function KeptList<One extends Kept>(props: KeptListProps<One>) {
  const { label, searchLabel, params, query, link, columns, actionsOf, create, empty } = props
  const t = useT()
  const { asked, whose = 'all', change } = params
  return (
    <>
      <Toolbar actions={create}>
        <SearchBox
          className={shared.search}
          label={searchLabel}
          value={asked.search}
          onSearch={(search) => change({ search })}
        />
        <Select<typeof whose>
          className={shared.filter}
          aria-label={t('analyses.whose')}
          value={whose}
          getPopupContainer={besideField}
          options={(['all', ...WHOSE] as const).map((value) => ({
            value,
            label: t(`analyses.whose.${value}`),
          }))}
          onChange={(value) => change({ whose: value === 'all' ? undefined : value })}
        />
      </Toolbar>
      <DataTable
        label={label}
        query={query}
        params={asked}
        onChange={change}
        filtered={whose !== 'all'}
        skeletonRows={5}
        onClear={() => change({ search: undefined, whose: undefined })}
        rowKey={({ id }) => id}
        columns={[
          {
            key: 'name',
            title: t('analyses.name'),
            sorts: true,
            heads: true,
            render: (one) => (
              <>
                {link(one)}
                {one.description && <div className={shared.soft}>{one.description}</div>}
              </>
            ),
          },
          ...columns,
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
                actions={actionsOf(one)}
              />
            ),
          },
        ]}
        empty={empty}
      />
    </>
  )
}
