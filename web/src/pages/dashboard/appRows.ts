/** The table of apps is sorted and paged here: the answer holds them all. */
import { FIGURES, type FigureName, type OverallApp } from '../../api/overall'
import type { Rows } from '../../components/table/columns'
import type { TableParams } from '../../components/table/useTableParams'

export const APP_SORTS: readonly string[] = ['name', ...FIGURES]

export function pageOfApps(
  apps: OverallApp[],
  { page, page_size, sort, order }: TableParams,
  language: string,
): Rows<OverallApp> {
  const way = order === 'asc' ? 1 : -1
  const byName = new Intl.Collator(language, { numeric: true }).compare
  const sorted = apps.toSorted((one, other) => {
    const figure = FIGURES.find((name) => name === sort)
    const difference = figure ? valueOf(one, figure) - valueOf(other, figure) : 0
    // Equals stay in the order of their names.
    return way * difference || (figure ? 1 : way) * byName(one.name, other.name)
  })
  const first = (page - 1) * page_size
  return { items: sorted.slice(first, first + page_size), total: apps.length }
}

const valueOf = (app: OverallApp, figure: FigureName) => app[figure].value
