/** How long the value before a reset keeps working. */
export const GRACE_HOURS = { min: 0, max: 168 }

export const GRACES = ['0', '1', '24', '72', '168', 'other'] as const
export type Grace = (typeof GRACES)[number]
export const USUAL_GRACE: Grace = '24'

/** Null unless it is a whole number of hours within the limits. */
export function hoursOf(grace: Grace, typed: string): number | null {
  const text = grace === 'other' ? typed.trim() : grace
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  return hours <= GRACE_HOURS.max ? hours : null
}
