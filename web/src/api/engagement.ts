/** How often people return to an app. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http } from './client'
import type { components } from './schema'

export interface EngagementQuery {
  start: string
  end: string
  timezone?: string
  /** Retention covers people who were new from this day on. */
  cohorts_from?: string
}

export type Engagement = components['schemas']['Engagement']
export type EngagementDay = components['schemas']['EngagedDay']
export type Cohort = components['schemas']['RetainedCohort']

/** The server counts cohorts daily, no further back than this. */
export const ENGAGEMENT_MOST_DAYS = 180

export function engagementQuery(appId: string, query: EngagementQuery) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'engagement', query],
    queryFn: (): Promise<Engagement> =>
      call(http.GET('/apps/{id}/engagement', { params: { path: { id: appId }, query } })),
    placeholderData: keepPreviousData,
  })
}
