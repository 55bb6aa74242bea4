import { ENGAGEMENT_MOST_DAYS } from '../../../api/engagement'
import { addDays, dayCount, type DayRange } from '../../../components/range/range'

/** Weeks of new people that retention looks at beside this one: of some, the 30th day is over. */
const RETENTION_WEEKS = 7

interface EngagementRange extends DayRange {
  cut: boolean
  /** A Monday, where that is not too long ago: retention is told by the week. */
  cohortsFrom: string
}

/** The part of a range that can be asked about: not ahead, and no longer than the server counts. */
export function engagementRange(range: DayRange, today: string): EngagementRange {
  const end = range.end > today ? today : range.end
  const asked = range.start > end ? end : range.start
  const first = addDays(end, 1 - ENGAGEMENT_MOST_DAYS)
  const cut = dayCount({ start: asked, end }) > ENGAGEMENT_MOST_DAYS
  const start = cut ? first : asked
  const back = addDays(mondayOf(today), -7 * RETENTION_WEEKS)
  const monday = mondayOf(start < back ? start : back)
  return { start, end, cut, cohortsFrom: monday < first ? start : monday }
}

/** The first day of its week. */
export function mondayOf(day: string): string {
  return addDays(day, -((new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7))
}
