/**
 * A list from the server with all its faces: loading, empty, nothing found, failed, full. A table
 * where there is room for one, cards on a phone.
 */
import type { UseQueryResult } from '@tanstack/react-query'
import { Button, Pagination } from 'antd'
import { useEffect } from 'react'
import { useT } from '../../i18n/useT'
import { LoadFailure } from '../LoadFailure'
import { Waiting } from '../Waiting'
import { CardList } from './CardList'
import type { Rows } from './columns'
import { formatCount } from './Counted'
import { RowSkeleton } from './RowSkeleton'
import { useIsNarrow } from './useIsNarrow'
import { PAGE_SIZES, type ChangeParams, type TableParams } from './useTableParams'
import { WideTable, type RowListProps } from './WideTable'
import { useLanguageStore } from '../../i18n/store'
import styles from './DataTable.module.css'

type Shared<Row extends object> = Omit<RowListProps<Row>, 'rows' | 'sort' | 'order' | 'onSort'>

interface DataTableProps<Row extends object> extends Shared<Row> {
  query: UseQueryResult<Rows<Row>>
  params: TableParams
  onChange: ChangeParams
  /** Filters beyond search that hide rows, so that "nothing yet" is not said of a filtered list. */
  filtered?: boolean
  /** How many rows to keep room for while they load; a page of them unless few are expected. */
  skeletonRows?: number
  /** Takes search and filters back. */
  onClear?: () => void
  /** What this is and what fills it, where there is nothing at all. */
  empty: React.ReactNode
}

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { query, params, onChange, filtered, skeletonRows, onClear, empty, ...list } = props
  const t = useT()
  const narrow = useIsNarrow()
  const { data } = query

  // The last row of a page can go, and an address can name a page that is not there.
  const beyond = params.page > 1 && data?.items.length === 0 && !query.isPlaceholderData
  useEffect(() => {
    if (beyond) onChange({ page: 1 })
  })

  if (!data) {
    return query.error ? (
      <Failure query={query} />
    ) : (
      <Waiting>
        <RowSkeleton rows={skeletonRows ?? params.page_size} />
      </Waiting>
    )
  }
  const List = narrow ? CardList : WideTable
  const narrowed = Boolean(params.search) || filtered
  return (
    <div className={styles.list} aria-busy={query.isPlaceholderData}>
      {query.error && <Failure query={query} />}
      {data.items.length === 0 ? (
        narrowed ? (
          <div className={styles.nothing}>
            <p role="status">{t('table.nothingFound')}</p>
            {onClear && <Button onClick={onClear}>{t('table.clear')}</Button>}
          </div>
        ) : (
          empty
        )
      ) : (
        <List
          {...list}
          rows={data.items}
          sort={params.sort}
          order={params.order}
          onSort={(sort, order) => onChange({ sort, order })}
        />
      )}
      <Pages total={data.total} params={params} onChange={onChange} />
    </div>
  )
}

function Failure({ query }: { query: UseQueryResult<unknown> }) {
  return (
    <LoadFailure
      error={query.error!}
      retrying={query.isFetching}
      onRetry={() => void query.refetch()}
    />
  )
}

interface PagesProps {
  total: number
  params: TableParams
  onChange: ChangeParams
}

function Pages({ total, params, onChange }: PagesProps) {
  const t = useT()
  const narrow = useIsNarrow()
  const language = useLanguageStore((state) => state.currentLang)
  // One short page needs no way to another.
  if (total <= Math.min(...PAGE_SIZES)) return null
  return (
    <Pagination
      className={styles.pages}
      align="end"
      size={narrow ? 'small' : undefined}
      current={params.page}
      pageSize={params.page_size}
      pageSizeOptions={PAGE_SIZES}
      showSizeChanger={narrow ? false : { 'aria-label': t('table.pageSize'), showSearch: false }}
      showTotal={(count) => t('table.total', { count: formatCount(count, language) })}
      total={total}
      onChange={(page, size) =>
        onChange(size === params.page_size ? { page } : { page: 1, page_size: size })
      }
    />
  )
}
