/** Whether the value before a reset can go: what its last use says. */
import type { ApiKey } from '../../../api/keys'

const DAY_MS = 86_400_000
/** Unused for so long, nothing is expected to come back to it. */
const IDLE_DAYS = 3

export type PreviousUse =
  | { state: 'never' }
  /** Nobody came back to it after the reset. */
  | { state: 'quiet' }
  | { state: 'idle'; days: number }
  | { state: 'used'; at: string }

export function previousUse(
  { created_at, previous }: Pick<ApiKey, 'created_at' | 'previous'>,
  now: number,
): PreviousUse {
  const at = previous?.last_used_at
  if (!at) return { state: 'never' }
  const days = Math.floor((now - Date.parse(at)) / DAY_MS)
  if (days >= IDLE_DAYS) return { state: 'idle', days }
  // Right after a reset silence means nothing yet: a day covers what runs once a day.
  const reset = Date.parse(created_at)
  if (Date.parse(at) < reset && now - reset >= DAY_MS) return { state: 'quiet' }
  return { state: 'used', at }
}
