import type { Cohort } from '../../../api/engagement'
import { mondayOf } from './engagementRange'

export const RETENTION_DAYS = ['day1', 'day7', 'day30'] as const
type RetentionDay = (typeof RETENTION_DAYS)[number]

/** Of the new people whose day is over, how many came back on it. */
export interface CameBack {
  people: number
  of: number
  /** For others, the day isn't over yet. */
  partial: boolean
}

/** People who were new in one week, Monday to Sunday or the part of it in range. */
export type NewInWeek = Record<RetentionDay, CameBack | null> & {
  first: string
  last: string
  size: number
}

/** Newest first, without weeks in which nobody was new. */
export function weeksOf(cohorts: Cohort[]): NewInWeek[] {
  const weeks = new Map<string, Cohort[]>()
  for (const cohort of cohorts) {
    const monday = mondayOf(cohort.date)
    weeks.set(monday, [...(weeks.get(monday) ?? []), cohort])
  }
  return [...weeks.values()]
    .map(weekOf)
    .filter(({ size }) => size > 0)
    .toSorted((one, other) => (one.first < other.first ? 1 : -1))
}

function weekOf(days: Cohort[]): NewInWeek {
  const dates = days.map(({ date }) => date).toSorted()
  return {
    first: dates[0]!,
    last: dates.at(-1)!,
    size: days.reduce((sum, { size }) => sum + size, 0),
    day1: cameBack(days, 'day1'),
    day7: cameBack(days, 'day7'),
    day30: cameBack(days, 'day30'),
  }
}

function cameBack(days: Cohort[], day: RetentionDay): CameBack | null {
  const some = days.filter(({ size }) => size > 0)
  const over = some.filter((cohort) => cohort[day] != null)
  if (over.length === 0) return null
  return {
    people: over.reduce((sum, cohort) => sum + (cohort[day] ?? 0), 0),
    of: over.reduce((sum, { size }) => sum + size, 0),
    partial: over.length < some.length,
  }
}
