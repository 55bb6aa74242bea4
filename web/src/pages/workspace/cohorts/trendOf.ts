import type { Cohort } from '../../../api/analyses'
import type { App } from '../../../api/app'
import { searchOf } from '../../../components/analyses/address'
import { COHORT } from '../../../components/analyses/filters'
import { paths } from '../../../paths'

/** A trend of what a cohort's people do each day. */
export function trendOf(app: App, { id }: Pick<Cohort, 'id'>): string {
  const search = searchOf({
    kind: 'trend',
    series: [{ events: [], measure: { of: 'people' } }],
    filters: { all: [{ property: `${COHORT}${id}`, operator: 'is', values: [] }] },
  })
  return paths.workspace.analysis(app, 'trend') + search
}
