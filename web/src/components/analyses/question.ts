/** A question as built on screen: without its days, possibly incomplete. */
import type {
  Aggregate,
  Counted,
  DistributionQuestion,
  EventChoice,
  FunnelQuestion,
  Granularity,
  Kind,
  LifecycleQuestion,
  Measure,
  PathsQuestion,
  Question,
  RetentionQuestion,
  TrendQuestion,
} from '../../api/analysisTypes'
import type { MessageKey } from '../../i18n/store'
import { dayCount, usualGranularity, type DayRange } from '../range/range'
import { completeFilters, isNamed } from './filters'

export const KINDS = [
  'trend',
  'funnel',
  'retention',
  'paths',
  'distribution',
  'lifecycle',
] as const satisfies readonly Kind[]

export const COUNTED: readonly Counted[] = ['events', 'people', 'devices', 'sessions', 'per_person']
export const AGGREGATES: readonly Aggregate[] = [
  'sum',
  'average',
  'median',
  'p90',
  'p95',
  'p99',
  'min',
  'max',
  'distinct',
]

export const MOST = {
  series: 6,
  steps: 10,
  events: 20,
  breakdown: 2,
  tests: 30,
  windowMinutes: 129_600,
  units: 90,
  pathSteps: 8,
  branches: 20,
  edges: 50,
} as const

export const CHARTS = ['line', 'bar', 'stacked', 'share', 'number', 'table'] as const
export type Chart = (typeof CHARTS)[number]
export const COURSES = ['each', 'cumulative', 'average'] as const
export type Course = (typeof COURSES)[number]

type Undated<Whole> = Omit<Whole, 'start' | 'end' | 'timezone'>

/** The chart type is stored with a trend, but never sent to the server. */
export type TrendDraft = Undated<TrendQuestion> & { chart?: Chart; course?: Course }
export type FunnelDraft = Undated<FunnelQuestion>
export type RetentionDraft = Undated<RetentionQuestion>
export type PathsDraft = Undated<PathsQuestion>
export type DistributionDraft = Undated<DistributionQuestion>
export type LifecycleDraft = Undated<LifecycleQuestion>
export type Draft =
  TrendDraft | FunnelDraft | RetentionDraft | PathsDraft | DistributionDraft | LifecycleDraft

/** The names of the series in a formula. */
export const LETTERS = 'ABCDEF'

export const ANY: EventChoice = { events: [] }

const DAY_MINUTES = 1440

/** Where a page without a question starts. */
export const EMPTY: { [Of in Kind]: Extract<Draft, { kind: Of }> } = {
  trend: { kind: 'trend', series: [{ events: [], measure: { of: 'events' } }] },
  funnel: { kind: 'funnel', steps: [ANY, ANY], window_minutes: 7 * DAY_MINUTES },
  retention: { kind: 'retention', first: ANY, returning: ANY, unit: 'day', units: 7 },
  paths: { kind: 'paths', from: ANY, steps: 5 },
  distribution: { kind: 'distribution', event: ANY, of: 'times' },
  lifecycle: { kind: 'lifecycle' },
}

export const hasProperty = (measure: Measure): measure is Extract<Measure, { property: string }> =>
  'property' in measure

/** Removes defaults, so that equal questions are written alike. */
export function without<Kind extends object>(draft: Kind, ...names: (keyof Kind)[]): Kind {
  return Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => !names.includes(name as keyof Kind) && value !== undefined,
    ),
  ) as Kind
}

/** What must still be chosen before asking; null if nothing. */
export function missing(draft: Draft): MessageKey | null {
  switch (draft.kind) {
    case 'trend':
      return draft.series.some(({ measure }) => hasProperty(measure) && measure.property === '')
        ? 'analyses.missing.property'
        : null
    case 'funnel':
      return draft.steps.every(({ events }) => events.length === 0)
        ? 'analyses.missing.steps'
        : null
    case 'paths':
      return (draft.from ?? draft.to ?? ANY).events.length === 0 ? 'analyses.missing.path' : null
    case 'distribution':
      return typeof draft.of === 'object' && draft.of.property === ''
        ? 'analyses.missing.property'
        : null
    default:
      return null
  }
}

const SIZES: readonly Granularity[] = ['minute', 'hour', 'day', 'week', 'month']

/** The granularities that suit the range and that the server accepts. */
export function granularitiesOf(kind: Kind, range: DayRange): Granularity[] {
  const days = dayCount(range)
  const finest = { trend: 0, funnel: 1, lifecycle: 2 }[kind as string] ?? SIZES.length
  return SIZES.slice(finest).filter((size) => {
    switch (size) {
      case 'minute':
        return days <= 2
      case 'hour':
        return days <= 31
      case 'day':
        return (days >= 2 || kind === 'lifecycle') && days <= 2000
      case 'week':
        return days >= 14
      case 'month':
        return days >= 56
    }
  })
}

/** The chosen one if it suits the range, otherwise the default. */
export function granularityOf(draft: Draft, range: DayRange): Granularity | undefined {
  const offered = granularitiesOf(draft.kind, range)
  const chosen = 'granularity' in draft ? draft.granularity : undefined
  const usual = usualGranularity(range)
  return [chosen, usual].find((one) => one && offered.includes(one)) ?? offered[0]
}

/** The question sent to the server: with these days, without incomplete parts. */
export function questionOf(draft: Draft, range: DayRange, timezone: string): Question {
  const asked = without(completed(draft) as TrendDraft, 'chart', 'course')
  const granularity = granularityOf(draft, range)
  return { ...asked, ...(granularity && { granularity }), ...range, timezone }
}

/** The breakdowns that are complete. */
export const completeBreakdown = (breakdown: string[] = []) => breakdown.filter(isNamed)

/** Drops the incomplete filters and breakdowns anywhere in a question. */
function completed<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(completed) as Part
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'breakdown') {
      const breakdown = completeBreakdown(value as string[] | undefined)
      return breakdown.length > 0 ? [[name, breakdown]] : []
    }
    if (name !== 'filters') return value === undefined ? [] : [[name, completed(value)]]
    const filters = completeFilters(value as EventChoice['filters'])
    return filters ? [[name, filters]] : []
  })
  return Object.fromEntries(entries) as Part
}

/** All events a question names. */
export function eventsOf(draft: Draft): string[] {
  const choices = (): (EventChoice | undefined)[] => {
    switch (draft.kind) {
      case 'trend':
        return draft.series
      case 'funnel':
        return draft.steps
      case 'retention':
        return [draft.first, draft.returning]
      case 'paths':
        return [draft.from, draft.to, draft.events]
      default:
        return [draft.event]
    }
  }
  return [...new Set(choices().flatMap((choice) => choice?.events ?? []))]
}
