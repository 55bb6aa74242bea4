/** When a key expires: the choices, and what counts as soon. */
import type { AccessKey } from '../../../api/keys'
import { dayAt, dayEnd } from '../../../lib/zonedDay'

const DAY_MS = 86_400_000
/** When the first reminder is sent. */
const SOON_MS = 7 * DAY_MS

export const EXPIRIES = ['never', '30', '90', '365', 'date'] as const
type Expiry = (typeof EXPIRIES)[number]

export interface ChosenExpiry {
  expiry: Expiry
  /** For `date`: the last day it works. */
  day: string
}

/** The time (ms) it expires: the end of a day in the user's time zone. Null for never. */
export function endOf({ expiry, day }: ChosenExpiry, zone: string, now: number): number | null {
  if (expiry === 'never') return null
  return dayEnd(expiry === 'date' ? day : dayAt(now + Number(expiry) * DAY_MS, zone), zone)
}

/** A key's expiry as form values. */
export function chosenOf({ expires_at }: AccessKey, zone: string): ChosenExpiry {
  if (!expires_at) return { expiry: 'never', day: '' }
  return { expiry: 'date', day: dayAt(Date.parse(expires_at), zone) }
}

export function expiresSoon(
  { state, expires_at }: Pick<AccessKey, 'state' | 'expires_at'>,
  now: number,
): boolean {
  return state === 'active' && Boolean(expires_at) && Date.parse(expires_at!) - now <= SOON_MS
}
