import { ENGAGEMENT_MOST_DAYS } from '../../../api/engagement'
import { addDays, dayCount, type DayRange } from '../../../components/range/range'

/**
 * Weeks of new people in retention besides the current one: enough that for some, day 30 is over.
 */
const RETENTION_WEEKS = 7

interface EngagementRange extends DayRange {
  cut: boolean
  /** A Monday unless that exceeds the limit, because retention is shown by week. */
  cohortsFrom: string
}

/** The part of a range that can be requested: no future days, and within the server's limit. */
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

/** The first day of a day's week. */
export function mondayOf(day: string): string {
  return addDays(day, -((new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7))
}
