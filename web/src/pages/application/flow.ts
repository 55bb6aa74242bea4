import type { App } from '../../api/app'
import type { Ingest } from '../../api/ingest'

const DAY_MS = 86_400_000

/** Whether data arrives: it does, it is expected, it hasn't lately, or it can't. */
export function flowOf(
  { status }: Pick<App, 'status'>,
  { last_event_at }: Pick<Ingest, 'last_event_at'>,
  now: number,
): 'arriving' | 'waiting' | 'silent' | 'stopped' {
  if (status !== 'active') return 'stopped'
  if (!last_event_at) return 'waiting'
  return now - Date.parse(last_event_at) < DAY_MS ? 'arriving' : 'silent'
}
