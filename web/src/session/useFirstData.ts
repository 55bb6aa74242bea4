/** Waits for an app's first event; once it is stored, refetches everything. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { everythingOf } from '../api/app'
import { appsOf } from '../api/apps'
import { ingestQuery, type Ingest } from '../api/ingest'
import { overallOf } from '../api/overall'
import { useLanguageStore } from '../i18n/store'
import { useApp } from './app'

const ASKED_MS = 3_000

export function useFirstData() {
  const client = useQueryClient()
  const { app } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const { id, org_id, has_events } = app
  // Events are counted a moment after they are stored; figures only change with the count.
  const isThere = (data: Ingest | undefined) =>
    Boolean(data?.last_event_at) && (has_events !== false || data!.accepted > 0)
  const ingest = useQuery({
    ...ingestQuery(id, language),
    refetchInterval: ({ state }) => (isThere(state.data) ? false : ASKED_MS),
  })
  const arrived = has_events === false && isThere(ingest.data)
  useEffect(() => {
    if (!arrived) return
    for (const stale of [everythingOf(id), overallOf(org_id), appsOf(org_id)]) {
      void client.invalidateQueries(stale)
    }
  }, [arrived, client, id, org_id])
  return ingest
}
