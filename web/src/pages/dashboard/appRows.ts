/** The app table is sorted and paged in the browser, because the answer holds all apps. */
import { FIGURES, type OverallApp } from '../../api/overall'
import type { Rows } from '../../components/table/columns'
import type { TableParams } from '../../components/table/useTableParams'
import { byName } from '../../lib/names'
import { comparing } from '../../lib/sort'

export const APP_SORTS: readonly string[] = ['name', ...FIGURES]

export function pageOfApps(
  apps: OverallApp[],
  { page, page_size, sort, order = 'desc' }: TableParams,
): Rows<OverallApp> {
  const byFigure = comparing('integer', order)
  const figure = FIGURES.find((name) => name === sort)
  const sorted = apps.toSorted((one, other) => {
    const inName = byName(one, other)
    if (!figure) return order === 'asc' ? inName : -inName
    // Ties are ordered by name.
    return byFigure(one[figure].value, other[figure].value) || inName
  })
  const first = (page - 1) * page_size
  return { items: sorted.slice(first, first + page_size), total: apps.length }
}
