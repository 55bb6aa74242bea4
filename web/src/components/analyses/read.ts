/**
 * Anyone can write a URL, and an older console may have stored the question: anything that makes no
 * sense counts as absent.
 */
import type { EventChoice, Filters, Kind, Measure, Series, Test } from '../../api/analysisTypes'
import { OPERATORS } from './filters'
import {
  AGGREGATES,
  CHARTS,
  COUNTED,
  COURSES,
  EMPTY,
  KINDS,
  MOST,
  type Draft,
  type TrendDraft,
} from './question'

const LONGEST_TEXT = 1000
const MOST_DEPTH = 3

type Fields = Record<string, unknown>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const readKind = (value: unknown): Kind | undefined => KINDS.find((kind) => kind === value)

/** The draft an object describes; null if it isn't one of this kind. */
export function readDraft(value: unknown, kind: Kind): Draft | null {
  if (!isObject(value) || value.kind !== kind) return null
  return trimmed({ ...drafted(kind, value), filters: filters(value.filters) }) as Draft
}

function drafted(kind: Kind, from: Fields): Fields {
  switch (kind) {
    case 'trend':
      return {
        ...trend(from),
        breakdown: breakdown(from.breakdown),
        granularity: oneOf(['minute', 'hour', 'day', 'week', 'month'], from.granularity),
      }
    case 'funnel': {
      const steps = list(from.steps).flatMap(choice).slice(0, MOST.steps)
      while (steps.length < 2) steps.push({ events: [] })
      return {
        kind,
        steps,
        window_minutes: whole(from.window_minutes, 1, MOST.windowMinutes) ?? 10_080,
        order: oneOf(['strict'], from.order),
        exclude: choice(from.exclude)[0],
        granularity: oneOf(['hour', 'day', 'week', 'month'], from.granularity),
        breakdown: breakdown(from.breakdown),
      }
    }
    case 'retention':
      return {
        kind,
        first: choice(from.first)[0] ?? { events: [] },
        first_ever: from.first_ever === true || undefined,
        returning: choice(from.returning)[0] ?? { events: [] },
        unit: oneOf(['day', 'week', 'month'], from.unit) ?? 'day',
        units: whole(from.units, 1, MOST.units) ?? 7,
        mode: oneOf(['on_or_after'], from.mode),
        breakdown: breakdown(from.breakdown),
      }
    case 'paths': {
      const to = from.from === undefined ? choice(from.to)[0] : undefined
      return {
        kind,
        ...(to ? { to } : { from: choice(from.from)[0] ?? { events: [] } }),
        events: choice(from.events)[0],
        steps: whole(from.steps, 1, MOST.pathSteps) ?? 5,
        window_minutes: whole(from.window_minutes, 1, MOST.windowMinutes),
        branches: whole(from.branches, 1, MOST.branches),
      }
    }
    case 'distribution':
      return {
        kind,
        event: choice(from.event)[0] ?? { events: [] },
        of: isObject(from.of)
          ? { property: text(from.of.property) ?? '' }
          : (oneOf(['times', 'days'], from.of) ?? 'times'),
        edges: edges(from.edges),
      }
    case 'lifecycle':
      return {
        kind,
        event: choice(from.event)[0],
        granularity: oneOf(['day', 'week', 'month'], from.granularity),
      }
  }
}

function trend(from: Fields): TrendDraft {
  const series = list(from.series).flatMap((one): Series[] => {
    const [found] = choice(one)
    return found ? [{ ...found, measure: measure((one as Fields).measure) }] : []
  })
  return {
    kind: 'trend',
    series: series.length > 0 ? series.slice(0, MOST.series) : EMPTY.trend.series,
    formula: text(from.formula),
    compare: comparison(from.compare),
    chart: CHARTS.find((one) => one !== 'line' && one === from.chart),
    course: COURSES.find((one) => one !== 'each' && one === from.course),
  }
}

/** Links and analyses of earlier builds have shorter names. */
function comparison(value: unknown): TrendDraft['compare'] {
  if (value === 'previous') return 'previous_period'
  if (value === 'year') return 'previous_year'
  return oneOf(['previous_period', 'previous_year'], value)
}

function measure(value: unknown): Measure {
  if (!isObject(value)) return { of: 'events' }
  const counted = COUNTED.find((one) => one === value.of)
  if (counted) return { of: counted }
  const aggregate = AGGREGATES.find((one) => one === value.of)
  return aggregate ? { of: aggregate, property: text(value.property) ?? '' } : { of: 'events' }
}

/** A list with one event choice, or empty if it isn't one. */
function choice(value: unknown): EventChoice[] {
  if (!isObject(value) || !Array.isArray(value.events)) return []
  const events = [...new Set(texts(value.events))].slice(0, MOST.events)
  return [trimmed({ events, filters: filters(value.filters) }) as EventChoice]
}

function filters(value: unknown, depth = 1): Filters | undefined {
  if (!isObject(value) || depth > MOST_DEPTH) return undefined
  const joined = Array.isArray(value.any) && !Array.isArray(value.all) ? 'any' : 'all'
  const items = list(value[joined])
    .map((item) => test(item) ?? filters(item, depth + 1))
    .filter((item) => item !== undefined)
    .slice(0, MOST.tests)
  if (items.length === 0) return undefined
  return joined === 'all' ? { all: items } : { any: items }
}

function test(value: unknown): Test | undefined {
  if (!isObject(value) || typeof value.property !== 'string') return undefined
  const operator = OPERATORS.find((one) => one === value.operator)
  const property = value.property.slice(0, LONGEST_TEXT)
  return operator && property ? { property, operator, values: texts(value.values) } : undefined
}

const breakdown = (value: unknown) => {
  const properties = texts(value).slice(0, MOST.breakdown)
  return properties.length > 0 ? properties : undefined
}

function edges(value: unknown): number[] | undefined {
  const numbers = list(value)
    .filter((one) => typeof one === 'number')
    .filter(Number.isFinite)
  const rising = numbers.every((one, index) => index === 0 || one > numbers[index - 1]!)
  return numbers.length > 0 && rising ? numbers.slice(0, MOST.edges) : undefined
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.slice(0, LONGEST_TEXT) : undefined
const texts = (value: unknown) => list(value).flatMap((one) => text(one) ?? [])

function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((one) => one === value)
}

function whole(value: unknown, least: number, most: number): number | undefined {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
    ? Number(value)
    : undefined
}

/** Drops undefined fields. */
function trimmed(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
