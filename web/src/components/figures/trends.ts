/** The trend analysis behind a board's figure, and where to open it. */
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

/** Only the board counts first events of devices and sessions. */
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

/** The events with this value, or without any if it is empty. */
export const propertyTrend = (event: string, property: string, value: string): TrendDraft => ({
  ...trendOf([event]),
  filters: { all: [testOf(property, value)] },
})

/** The board's apps whose analyses the user may open. */
export function appsToAsk({ apps, chosen }: Pick<Board, 'apps' | 'chosen'>): App[] {
  return (apps ?? []).filter(
    ({ id, permissions }) =>
      permissions.includes('query:run') && (chosen.length === 0 || chosen.includes(id)),
  )
}

type Time = Pick<Board['params'], 'preset' | 'range' | 'granularity'>

/**
 * The path below an app's entry. A preset range keeps its name: tomorrow it means tomorrow's days.
 */
export function trendPath(trend: TrendDraft, { preset, range, granularity }: Time): string {
  const usual = granularity === usualGranularity(range)
  const asked = usual ? trend : { ...trend, granularity }
  return `/analyses/trend${searchOf(asked, preset ?? range)}`
}

/** Days without a preset, with the default granularity. */
export const timeOf = (range: DayRange): Time => ({
  preset: null,
  range,
  granularity: usualGranularity(range),
})

/** The days of one bucket, as far as the board shows them, with the default granularity. */
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
