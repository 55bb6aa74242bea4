/** Range, granularity, and comparison are in the URL, so a link reproduces the screen. */
import { useCallback, useMemo } from 'react'
import { dayAt } from '../../lib/zonedDay'
import { useNow } from '../useNow'
import { useAddressQuery } from '../../router/useAddressQuery'
import {
  COMPARISONS,
  granularitiesFor,
  movedRange,
  presetRange,
  readRange,
  usualGranularity,
  writeRange,
  type Comparison,
  type DayRange,
  type Granularity,
  type Preset,
} from './range'

export interface RangeParams {
  range: DayRange
  /** Null for a custom range. */
  preset: Preset | null
  granularity: Granularity
  /** Those that suit the range. */
  granularities: Granularity[]
  compare: Comparison
  /** Today's date in the time zone. */
  today: string
  timezone: string
  setRange: (range: Preset | DayRange) => void
  setGranularity: (granularity: Granularity) => void
  setCompare: (compare: Comparison) => void
  /** Moves to the period right before or after. */
  move: (steps: -1 | 1) => void
}

interface Defaults {
  /** The default if the URL has no range; a saved analysis may have its own. */
  preset?: Preset | DayRange
  compare?: Comparison
}

export function useRangeParams(
  timezone: string,
  { preset = '7d', compare = 'previous_period' }: Defaults = {},
): RangeParams {
  const [query, setQuery] = useAddressQuery()
  const today = todayIn(useNow(), timezone)
  const state = useMemo(
    () => readState(query, today, { preset, compare }),
    [query, today, preset, compare],
  )

  const change = useCallback(
    (name: string, value: string, standard: string | null, replace = false) =>
      setQuery((before) => changed(before, name, value, standard), {
        replace,
        preventScrollReset: true,
      }),
    [setQuery],
  )
  return {
    ...state,
    today,
    timezone,
    setRange: (range) => change('range', writeRange(range), writeRange(preset)),
    setGranularity: (chosen) => change('granularity', chosen, usualGranularity(state.range)),
    setCompare: (chosen) => change('compare', chosen, compare),
    // A history entry for each press would make Back useless.
    move: (steps) =>
      change('range', writeRange(movedRange(state.range, steps)), writeRange(preset), true),
  }
}

/** If this browser doesn't know the server's zone, its own date is close enough. */
function todayIn(now: number, timezone: string): string {
  try {
    return dayAt(now, timezone)
  } catch {
    return dayAt(now, Intl.DateTimeFormat().resolvedOptions().timeZone)
  }
}

/** Anyone can write a URL: what makes no sense counts as absent. */
export function readState(
  query: URLSearchParams,
  today: string,
  defaults: { preset: Preset | DayRange; compare: Comparison },
): Pick<RangeParams, 'range' | 'preset' | 'granularity' | 'granularities' | 'compare'> {
  const chosen = readRange(query.get('range')) ?? defaults.preset
  const preset = typeof chosen === 'string' ? chosen : null
  const range = typeof chosen === 'string' ? presetRange(chosen, today) : chosen
  const granularities = granularitiesFor(range)
  return {
    range,
    preset,
    granularities,
    granularity:
      granularities.find((one) => one === query.get('granularity')) ?? usualGranularity(range),
    compare: COMPARISONS.find((one) => one === query.get('compare')) ?? defaults.compare,
  }
}

/** Leaves out defaults, and returns to the first page when the rows change. */
export function changed(
  before: URLSearchParams,
  name: string,
  value: string,
  standard: string | null,
): URLSearchParams {
  const query = new URLSearchParams(before)
  query.delete('page')
  if (value === standard) query.delete(name)
  else query.set(name, value)
  return query
}
