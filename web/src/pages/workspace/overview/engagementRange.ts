import { ENGAGEMENT_MOST_DAYS } from '../../../api/engagement'
import { addDays, dayCount, type DayRange } from '../../../components/range/range'

/** The part of a range that can be asked about: not ahead, and no longer than the server counts. */
export function engagementRange(range: DayRange, today: string): DayRange & { cut: boolean } {
  const end = range.end > today ? today : range.end
  const start = range.start > end ? end : range.start
  if (dayCount({ start, end }) <= ENGAGEMENT_MOST_DAYS) return { start, end, cut: false }
  return { start: addDays(end, 1 - ENGAGEMENT_MOST_DAYS), end, cut: true }
}
