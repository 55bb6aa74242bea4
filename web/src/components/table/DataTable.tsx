/**
 * A list from the server in all its states: loading, empty, no matches, failed, loaded. A table if
 * there is room, cards on a phone.
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
  /**
   * Whether filters other than search hide rows, so that a filtered list never says "nothing yet".
   */
  filtered?: boolean
  /** The number of placeholder rows; defaults to a page. */
  skeletonRows?: number
  /** Clears search and filters. */
  onClear?: () => void
  /** For an empty list: what it is and how to fill it. */
  empty: React.ReactNode
}

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { query, params, onChange, filtered, skeletonRows, onClear, empty, ...list } = props
  const t = useT()
  const narrow = useIsNarrow()
  const { data } = query

  // The last row of a page can disappear, and a URL can name a page that doesn't exist.
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
  // A single short page needs no pagination.
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
