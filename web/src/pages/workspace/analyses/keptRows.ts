import type { Analysis } from '../../../api/analyses'
import type { Rows } from '../../../components/table/columns'

/** As many as one answer holds: they are narrowed down and paged here. */
export const MOST_KEPT = 100

export const WHOSE = ['all', 'mine', 'shared'] as const
export type Whose = (typeof WHOSE)[number]

export function keptRows(
  items: Analysis[],
  { whose, page, page_size }: { whose: Whose; page: number; page_size: number },
): Rows<Analysis> {
  const chosen = items.filter(
    ({ mine, shared }) => whose === 'all' || (whose === 'mine' ? mine : shared),
  )
  const first = (page - 1) * page_size
  return { items: chosen.slice(first, first + page_size), total: chosen.length }
}
