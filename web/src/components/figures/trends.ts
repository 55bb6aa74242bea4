/** Which trend a figure of a board is, and where that question is asked. */
import type { Counted } from '../../api/analysisTypes'
import type { App } from '../../api/app'
import type { Dimension, FigureName } from '../../api/overall'
import { dayAt } from '../../lib/zonedDay'
import { searchOf } from '../analyses/address'
import type { TrendDraft } from '../analyses/question'
import {
  addDays,
  monthEnd,
  usualGranularity,
  type DayRange,
  type Granularity,
} from '../range/range'
import type { Board } from './board'

const trendOf = (events: string[], of: Counted = 'events'): TrendDraft => ({
  kind: 'trend',
  series: [{ events, measure: { of } }],
})

/** First events of devices and sessions are counted by the board alone. */
export const FIGURE_TRENDS: Partial<Record<FigureName, TrendDraft>> = {
  events: trendOf([]),
  page_views: trendOf(['page_view']),
  active_users: trendOf([], 'people'),
  active_devices: trendOf([], 'devices'),
}

export const eventTrend = (event: string): TrendDraft => trendOf([event])

const testOf = (property: string, value: string) =>
  value === ''
    ? { property, operator: 'not_set' as const, values: [] }
    : { property, operator: 'is' as const, values: [value] }

export const valueTrend = (dimension: Dimension, value: string): TrendDraft => ({
  ...trendOf([]),
  filters: { all: [testOf(`$${dimension}`, value)] },
})

/** The events that carry a value, or none where it is empty. */
export const propertyTrend = (event: string, property: string, value: string): TrendDraft => ({
  ...trendOf([event]),
  filters: { all: [testOf(property, value)] },
})

/** The apps of a board whose analyses the person may open. */
export function appsToAsk({ apps, chosen }: Pick<Board, 'apps' | 'chosen'>): App[] {
  return (apps ?? []).filter(
    ({ id, permissions }) =>
      permissions.includes('query:run') && (chosen.length === 0 || chosen.includes(id)),
  )
}

type Time = Pick<Board['params'], 'preset' | 'range' | 'granularity'>

/** Below an app's entry. A range that has a name keeps it: tomorrow it means tomorrow's days. */
export function trendPath(trend: TrendDraft, { preset, range, granularity }: Time): string {
  const usual = granularity === usualGranularity(range)
  const asked = usual ? trend : { ...trend, granularity }
  return `/analyses/trend${searchOf(asked, preset ?? range)}`
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
