/**
 * A question as one URL parameter: JSON with short names and without defaults, because every quote
 * and bracket takes three characters in a URL.
 */
import type { EventChoice, Filters, Kind, Measure, Series, Test } from '../../api/analysisTypes'
import type { Preset, DayRange } from '../range/range'
import { readRange, writeRange } from '../range/range'
import { isAll, isGroup, itemsOf } from './filters'
import { EMPTY, hasProperty, type Draft } from './question'
import { isObject, readDraft } from './read'

/** A question's own fields; rare ones keep their names. */
const SHORT: Record<string, string> = {
  series: 's',
  steps: 'n',
  window_minutes: 'w',
  first: 'a',
  returning: 'r',
  breakdown: 'b',
  granularity: 'g',
  filters: 'f',
  event: 'e',
  unit: 'u',
  units: 'us',
}
const LONG = Object.fromEntries(Object.entries(SHORT).map(([long, short]) => [short, long]))
const CHOICES = ['first', 'returning', 'from', 'to', 'events', 'event', 'exclude']

/** Empty for the default question. */
export function writeDraft(draft: Draft): string {
  if (JSON.stringify(draft) === JSON.stringify(EMPTY[draft.kind])) return ''
  const fields = Object.entries(draft).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'kind' || value === undefined) return []
    return [[SHORT[name] ?? name, shortened(name, value)]]
  })
  return JSON.stringify(Object.fromEntries(fields))
}

/** Null if it isn't a question of this kind. */
export function readWritten(text: string | null, kind: Kind): Draft | null {
  if (!text) return null
  try {
    const written: unknown = JSON.parse(text)
    if (!isObject(written)) return null
    const fields = Object.entries(written).map(([short, value]) => {
      const name = Object.hasOwn(LONG, short) ? LONG[short]! : short
      return [name, lengthened(name, value)]
    })
    return readDraft({ ...Object.fromEntries(fields), kind }, kind)
  } catch {
    return null
  }
}

function shortened(name: string, value: unknown): unknown {
  if (name === 'filters') return shortFilters(value as Filters)
  if (name === 'series') return (value as Series[]).map(shortSeries)
  if (name === 'steps' && Array.isArray(value)) return (value as EventChoice[]).map(shortChoice)
  return CHOICES.includes(name) ? shortChoice(value as EventChoice) : value
}

function lengthened(name: string, value: unknown): unknown {
  if (name === 'filters') return longFilters(value)
  if (name === 'series' && Array.isArray(value)) return value.map(longSeries)
  if (name === 'steps' && Array.isArray(value)) return value.map(longChoice)
  return CHOICES.includes(name) ? longChoice(value) : value
}

/** Just the names if there are no filters. */
const shortChoice = ({ events, filters }: EventChoice): unknown =>
  filters ? { e: events, f: shortFilters(filters) } : events

function longChoice(value: unknown): unknown {
  if (Array.isArray(value)) return { events: value as unknown[] }
  return isObject(value) ? { events: value.e, filters: longFilters(value.f) } : undefined
}

function shortSeries({ measure, ...choice }: Series): unknown {
  const { events, filters } = choice
  if (measure.of === 'events' && !filters) return events
  return { e: events, ...(filters && { f: shortFilters(filters) }), m: shortMeasure(measure) }
}

const shortMeasure = (measure: Measure) =>
  hasProperty(measure) ? [measure.of, measure.property] : measure.of

function longSeries(value: unknown): unknown {
  const choice = longChoice(value)
  if (!isObject(choice)) return undefined
  return { ...choice, measure: isObject(value) ? longMeasure(value.m) : undefined }
}

function longMeasure(value: unknown): unknown {
  if (!Array.isArray(value)) return { of: value }
  const [of, property] = value as unknown[]
  return { of, property }
}

/** `a` for all, `o` for any; a test is a list of its parts. */
function shortFilters(filters: Filters): unknown {
  const items = itemsOf(filters).map((item) =>
    isGroup(item) ? shortFilters(item) : [item.property, item.operator, ...item.values],
  )
  return isAll(filters) ? { a: items } : { o: items }
}

function longFilters(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const joined = Array.isArray(value.a) ? value.a : value.o
  if (!Array.isArray(joined)) return undefined
  const items = joined.map((item: unknown) =>
    Array.isArray(item) ? longTest(item) : longFilters(item),
  )
  return Array.isArray(value.a) ? { all: items } : { any: items }
}

const longTest = ([property, operator, ...values]: unknown[]): Record<keyof Test, unknown> => ({
  property,
  operator,
  values,
})

/** A question as stored: with its days, by preset name if possible. */
export function storedQuestion(draft: Draft, range: Preset | DayRange): object {
  return { ...draft, ...(typeof range === 'string' ? { range } : range) }
}

/** Reads a stored question; null if this console can't make sense of it. */
export function readStored(
  stored: object,
  kind: Kind,
): { draft: Draft; range: Preset | DayRange | null } | null {
  const draft = readDraft({ ...stored, kind }, kind)
  const { range, start, end } = stored as Record<string, unknown>
  const days = typeof range === 'string' ? range : `${String(start)}..${String(end)}`
  return draft && { draft, range: readRange(days) }
}

/** The query string for a question over a date range. */
export function searchOf(draft: Draft, range?: Preset | DayRange): string {
  const query = new URLSearchParams()
  const q = writeDraft(draft)
  if (q) query.set('q', q)
  if (range) query.set('range', writeRange(range))
  const search = query.toString()
  return search === '' ? '' : `?${search}`
}
