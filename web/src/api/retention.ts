/** What a shorter retention would delete. */
import { queryOptions } from '@tanstack/react-query'
import { call, http } from './client'
import type { components } from './schema'

export type RetentionImpact = components['schemas']['RetentionImpact']

/** For a team's apps without their own setting, or for one app. */
export interface RetentionOf {
  kind: 'org' | 'app'
  id: string
  name: string
}

/** Counted anew each time: nobody should confirm an outdated number. */
export function retentionImpactQuery({ kind, id }: RetentionOf, days: number) {
  const asked = { params: { path: { id }, query: { days } } }
  return queryOptions({
    queryKey: [kind, id, 'retention-impact', days],
    queryFn: (): Promise<RetentionImpact> =>
      kind === 'org'
        ? call(http.GET('/orgs/{id}/retention-impact', asked))
        : call(http.GET('/apps/{id}/retention-impact', asked)),
    staleTime: 0,
    gcTime: 0,
  })
}
