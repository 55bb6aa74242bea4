/** What an app has sent: every message counts in exactly one counter. */
import { queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http, UNASKED } from './client'
import type { components } from './schema'

export type Ingest = components['schemas']['AppIngest']

export const INGEST_DAYS = 7
const WATCHED_MS = 10_000

/** Reason names come in the current language. */
export function ingestQuery(appId: string, language: string) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'ingest', language],
    queryFn: (): Promise<Ingest> => {
      const params = { path: { id: appId }, query: { days: INGEST_DAYS } }
      return call(http.GET('/apps/{id}/ingest', { params }), UNASKED)
    },
    staleTime: 0,
    retry: false,
    // While the tab is visible, and once more when it becomes visible.
    refetchInterval: WATCHED_MS,
    refetchOnWindowFocus: true,
  })
}
