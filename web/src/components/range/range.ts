/** Date ranges as people choose them, and how the URL stores them. */

const DAY_MS = 86_400_000

export const PRESETS = [
  'today',
  'yesterday',
  '7d',
  '14d',
  '30d',
  '90d',
  'month',
  'last_month',
] as const
export type Preset = (typeof PRESETS)[number]

/** Both days are included. */
export interface DayRange {
  start: string
  end: string
}

const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const
export type Granularity = (typeof GRANULARITIES)[number]
/** Finer than boards use. */
export type BucketSize = Granularity | 'minute'

export const COMPARISONS = ['previous_period', 'previous_year', 'none'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** Longer ranges are unreadable and expensive for the server. */
export const LONGEST_DAYS = 3653

const DAYS: Partial<Record<Preset, number>> = { today: 1, '7d': 7, '14d': 14, '30d': 30, '90d': 90 }

export function presetRange(preset: Preset, today: string): DayRange {
  switch (preset) {
    case 'yesterday':
      return { start: addDays(today, -1), end: addDays(today, -1) }
    case 'month':
      return { start: monthStart(today), end: monthEnd(today) }
    case 'last_month': {
      const last = addDays(monthStart(today), -1)
      return { start: monthStart(last), end: last }
    }
    default:
      return { start: addDays(today, 1 - DAYS[preset]!), end: today }
  }
}

/** Parses `range=`; null if it makes no sense. */
export function readRange(text: string | null): Preset | DayRange | null {
  if (text === null) return null
  const preset = PRESETS.find((one) => one === text)
  if (preset) return preset
  const [start = '', end = '', ...more] = text.split('..')
  return more.length === 0 && isRange({ start, end }) ? { start, end } : null
}

export function writeRange(range: Preset | DayRange): string {
  return typeof range === 'string' ? range : `${range.start}..${range.end}`
}

export function isRange({ start, end }: DayRange): boolean {
  return isDay(start) && isDay(end) && start <= end && dayCount({ start, end }) <= LONGEST_DAYS
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const moment = Date.parse(`${text}T00:00:00Z`)
  // Some browsers parse February 30th as a day in March.
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text)
}

export function dayCount({ start, end }: DayRange): number {
  return Math.round((noon(end) - noon(start)) / DAY_MS) + 1
}

export function addDays(day: string, count: number): string {
  return new Date(noon(day) + count * DAY_MS).toISOString().slice(0, 10)
}

/** The range of the same length right before or after; whole months move by months. */
export function movedRange(range: DayRange, steps: -1 | 1): DayRange {
  const months = wholeMonths(range)
  if (months > 0) {
    const start = addMonths(range.start, steps * months)
    return { start, end: monthEnd(addMonths(start, months - 1)) }
  }
  const days = steps * dayCount(range)
  return { start: addDays(range.start, days), end: addDays(range.end, days) }
}

function wholeMonths({ start, end }: DayRange): number {
  if (start !== monthStart(start) || end !== monthEnd(end)) return 0
  const [from, to] = [start, end].map((day) => +day.slice(0, 4) * 12 + +day.slice(5, 7))
  return to! - from! + 1
}

/**
 * Those that make a readable line: more than one point, but not too many. The server takes at most
 * 2,000.
 */
export function granularitiesFor(range: DayRange): Granularity[] {
  const days = dayCount(range)
  return GRANULARITIES.filter((granularity) => {
    switch (granularity) {
      case 'hour':
        return days <= 31
      case 'day':
        return days >= 2 && days <= 2000
      case 'week':
        return days >= 14
      case 'month':
        return days >= 56
    }
  })
}

export function usualGranularity(range: DayRange): Granularity {
  const days = dayCount(range)
  if (days <= 2) return 'hour'
  if (days <= 100) return 'day'
  return days <= 730 ? 'week' : 'month'
}

const noon = (day: string) => Date.parse(`${day}T12:00:00Z`)
const monthStart = (day: string) => `${day.slice(0, 7)}-01`
export const monthEnd = (day: string) => addDays(addMonths(monthStart(day), 1), -1)

/** Expects the first of a month. */
function addMonths(first: string, count: number): string {
  const moment = new Date(noon(first))
  moment.setUTCMonth(moment.getUTCMonth() + count)
  return moment.toISOString().slice(0, 10)
}
