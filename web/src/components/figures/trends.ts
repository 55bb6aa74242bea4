/** Which question to the explorer a figure of a board answers, and where that question is asked. */
import type { App } from '../../api/app'
import type { Dimension, FigureName } from '../../api/overall'
import { writeQuestion, type Question } from '../explore/question'
import { dayAt } from '../../lib/zonedDay'
import {
  addDays,
  monthEnd,
  usualGranularity,
  writeRange,
  type DayRange,
  type Granularity,
} from '../range/range'
import type { Board } from './board'

const ANYTHING: Question = { event: null, measure: 'events', group: null, filters: [] }

/** First events of devices and sessions are counted by the board alone. */
export const FIGURE_QUESTIONS: Partial<Record<FigureName, Question>> = {
  events: ANYTHING,
  page_views: { ...ANYTHING, event: 'page_view' },
  active_users: { ...ANYTHING, measure: 'users' },
  active_devices: { ...ANYTHING, measure: 'devices' },
}

export const eventQuestion = (event: string): Question => ({ ...ANYTHING, event })

export function valueQuestion(dimension: Dimension, value: string): Question {
  const property = `$${dimension}`
  const filter =
    value === ''
      ? { property, operator: 'not_set' as const, values: [] }
      : { property, operator: 'is' as const, values: [value] }
  return { ...ANYTHING, filters: [filter] }
}

/** The apps of a board whose explorer the person may open. */
export function explorableApps({ apps, chosen }: Pick<Board, 'apps' | 'chosen'>): App[] {
  return (apps ?? []).filter(
    ({ id, permissions }) =>
      permissions.includes('query:run') && (chosen.length === 0 || chosen.includes(id)),
  )
}

type Time = Pick<Board['params'], 'preset' | 'range' | 'granularity'>

/** Below an app's entry. A range that has a name keeps it: tomorrow it means tomorrow's days. */
export function explorePath(question: Question, { preset, range, granularity }: Time): string {
  const query = writeQuestion(new URLSearchParams(), question)
  query.set('range', writeRange(preset ?? range))
  if (granularity !== usualGranularity(range)) query.set('granularity', granularity)
  return `/explore?${query.toString()}`
}

/** Days without a name, in their usual steps. */
export const timeOf = (range: DayRange): Time => ({
  preset: null,
  range,
  granularity: usualGranularity(range),
})

/** The days of one bucket, as far as the board shows them, with the usual steps for so many. */
export function bucketTime(
  time: number,
  granularity: Granularity,
  { range, timezone }: { range: DayRange; timezone: string },
): Time {
  const first = dayAt(time, timezone)
  const last = { hour: first, day: first, week: addDays(first, 6), month: monthEnd(first) }
  const days = {
    start: first < range.start ? range.start : first,
    end: last[granularity] > range.end ? range.end : last[granularity],
  }
  return timeOf(days)
}
