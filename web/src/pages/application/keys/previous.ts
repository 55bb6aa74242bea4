/** Whether the value before a reset can be removed, judging by its last use. */
import type { ApiKey } from '../../../api/keys'

const DAY_MS = 86_400_000
/** After this long unused, nothing is expected to use it again. */
const IDLE_DAYS = 3

export type PreviousUse =
  | { state: 'never' }
  /** Not used since the reset. */
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
  // Right after a reset, silence proves nothing; a day covers daily jobs.
  const reset = Date.parse(created_at)
  if (Date.parse(at) < reset && now - reset >= DAY_MS) return { state: 'quiet' }
  return { state: 'used', at }
}
