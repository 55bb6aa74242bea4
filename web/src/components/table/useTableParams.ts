/**
 * A list's state is in the URL: page, page size, search, sort, and filters. So links, reloads, and
 * Back all restore what was on screen.
 */
import { useCallback, useMemo } from 'react'
import { DEFAULT_PAGE_SIZE } from '../../lib/paging'
import { useAddressQuery } from '../../router/useAddressQuery'

export const PAGE_SIZES = [10, 20, 50, 100]

/** Uses the server's own names, so queries can take it as it is. */
export type TableParams<Filter extends string = never> = {
  page: number
  page_size: number
  search?: string
  sort?: string
  order?: 'asc' | 'desc'
} & { [name in Filter]?: string }

/** Omitted keys stay unchanged; `undefined` removes one from the URL. */
export type ChangeParams<Filter extends string = never> = (
  change: Partial<TableParams<Filter>>,
) => void

interface Choices<Filter extends string> {
  /** The columns the server can sort by. */
  sorts?: readonly string[]
  /** Additional parameters of this list. */
  filters?: readonly Filter[]
}

const NONE: readonly never[] = []

/** `sorts` and `filters` must be constants defined outside the component. */
export function useTableParams<Filter extends string = never>({
  sorts = NONE,
  filters = NONE,
}: Choices<Filter> = {}): [TableParams<Filter>, ChangeParams<Filter>] {
  const [query, setQuery] = useAddressQuery()
  const params = useMemo(() => readParams(query, sorts, filters), [query, sorts, filters])

  const change = useCallback<ChangeParams<Filter>>(
    (changed) =>
      setQuery((before) => changeQuery(before, changed), {
        // A history entry for each search would make Back useless.
        replace: 'search' in changed,
        preventScrollReset: true,
      }),
    [setQuery],
  )
  return [params, change]
}

/** Sorts by a column in descending order, unless the URL says otherwise. */
export function sortedBy<Params extends TableParams>(sort: string, params: Params): Params {
  return params.sort ? params : { ...params, sort, order: 'desc' }
}

/** Anyone can write a URL: what makes no sense counts as absent. */
export function readParams<Filter extends string>(
  query: URLSearchParams,
  sorts: readonly string[],
  filters: readonly Filter[],
): TableParams<Filter> {
  const size = Number(query.get('page_size'))
  const sort = query.get('sort')
  const sorted = sort !== null && sorts.includes(sort)
  const chosen = filters.flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value]] : []
  })
  return {
    page: Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1),
    page_size: PAGE_SIZES.includes(size) ? size : DEFAULT_PAGE_SIZE,
    search: query.get('search')?.trim() || undefined,
    sort: sorted ? sort : undefined,
    order: sorted ? (query.get('order') === 'desc' ? 'desc' : 'asc') : undefined,
    ...Object.fromEntries(chosen),
  } as TableParams<Filter>
}

/** Leaves out defaults. Any change but turning the page returns to the first page. */
export function changeQuery(before: URLSearchParams, changed: object): URLSearchParams {
  const query = new URLSearchParams(before)
  if (!('page' in changed)) query.delete('page')
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined || value === '' || isDefault(name, value)) query.delete(name)
    else query.set(name, String(value))
  }
  return query
}

function isDefault(name: string, value: unknown): boolean {
  return (name === 'page' && value === 1) || (name === 'page_size' && value === DEFAULT_PAGE_SIZE)
}
