/** Converts days in a time zone to timestamps. */

const DAY_MS = 86_400_000

/** The timestamp (ms) at which a day ("2026-03-29") begins in a zone; null if it isn't a date. */
export function dayStart(day: string, timeZone: string): number | null {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(midnight)) return null
  // The offset depends on the result, so the first guess is corrected.
  const guess = midnight - offsetAt(midnight, timeZone)
  return midnight - offsetAt(guess, timeZone)
}

/** The last millisecond of a day. Days with a clock change aren't 24 hours long. */
export function dayEnd(day: string, timeZone: string): number | null {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight)) return null
  const next = dayStart(new Date(midnight + DAY_MS).toISOString().slice(0, 10), timeZone)
  return next === null ? null : next - 1
}

/** The day ("2026-03-29") of a timestamp (ms) in a zone. */
export function dayAt(moment: number, timeZone: string): string {
  return new Date(moment + offsetAt(moment, timeZone)).toISOString().slice(0, 10)
}

function offsetAt(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment)
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const wall = Date.UTC(
    read('year'),
    read('month') - 1,
    read('day'),
    read('hour'),
    read('minute'),
    read('second'),
  )
  return wall - Math.floor(moment / 1000) * 1000
}
