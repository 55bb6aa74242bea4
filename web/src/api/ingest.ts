/** What an app has sent: every message ends in exactly one of the counters. */
import { queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http, UNASKED } from './client'
import type { components } from './schema'

export type Ingest = components['schemas']['AppIngest']

export const INGEST_DAYS = 7
const WATCHED_MS = 10_000

/** Names of reasons come in the language on screen. */
export function ingestQuery(appId: string, language: string) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'ingest', language],
    queryFn: (): Promise<Ingest> => {
      const params = { path: { id: appId }, query: { days: INGEST_DAYS } }
      return call(http.GET('/apps/{id}/ingest', { params }), UNASKED)
    },
    staleTime: 0,
    retry: false,
    // While the tab is visible, and once more when it becomes so.
    refetchInterval: WATCHED_MS,
    refetchOnWindowFocus: true,
  })
}
