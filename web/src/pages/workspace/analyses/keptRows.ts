import type { Analysis } from '../../../api/analyses'
import type { Rows } from '../../../components/table/columns'

/** As many as one answer holds: whose they are is looked at here. */
export const MOST_KEPT = 100

export const WHOSE = ['all', 'mine', 'shared'] as const
export type Whose = (typeof WHOSE)[number]

export function keptRows(
  answer: Rows<Analysis>,
  { whose, page, page_size }: { whose: Whose; page: number; page_size: number },
): Rows<Analysis> {
  if (whose === 'all') return answer
  const chosen = answer.items.filter(({ mine, shared }) => (whose === 'mine' ? mine : shared))
  const first = (page - 1) * page_size
  return { items: chosen.slice(first, first + page_size), total: chosen.length }
}
