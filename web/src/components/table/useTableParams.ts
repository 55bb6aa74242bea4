/**
 * What a list shows is in the address: page, page size, search, sort and filters. So a link, a
 * reload and the Back button all show what was on screen.
 */
import { useCallback, useMemo } from 'react'
import { DEFAULT_PAGE_SIZE } from '../../lib/paging'
import { useAddressQuery } from '../../router/useAddressQuery'

export const PAGE_SIZES = [10, 20, 50, 100]

/** In the server's own names, so that a query can take them as they are. */
export type TableParams<Filter extends string = never> = {
  page: number
  page_size: number
  search?: string
  sort?: string
  order?: 'asc' | 'desc'
} & { [name in Filter]?: string }

/** What is left out stays; `undefined` takes a value out of the address. */
export type ChangeParams<Filter extends string = never> = (
  change: Partial<TableParams<Filter>>,
) => void

interface Choices<Filter extends string> {
  /** The columns that the server can sort by. */
  sorts?: readonly string[]
  /** Further parameters of this list. */
  filters?: readonly Filter[]
}

const NONE: readonly never[] = []

/** `sorts` and `filters` are constants of the page, made outside of it. */
export function useTableParams<Filter extends string = never>({
  sorts = NONE,
  filters = NONE,
}: Choices<Filter> = {}): [TableParams<Filter>, ChangeParams<Filter>] {
  const [query, setQuery] = useAddressQuery()
  const params = useMemo(() => readParams(query, sorts, filters), [query, sorts, filters])

  const change = useCallback<ChangeParams<Filter>>(
    (changed) =>
      setQuery((before) => changeQuery(before, changed), {
        // Every typed word as a step of its own would make Back useless.
        replace: 'search' in changed,
        preventScrollReset: true,
      }),
    [setQuery],
  )
  return [params, change]
}

/** The largest of a column first, unless the address says otherwise. */
export function sortedBy<Params extends TableParams>(sort: string, params: Params): Params {
  return params.sort ? params : { ...params, sort, order: 'desc' }
}

/** Anyone can write an address: what makes no sense counts as absent. */
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

/** Defaults need no mention. Anything but turning the page starts at the first page again. */
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
