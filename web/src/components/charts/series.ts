import type { BucketSize } from '../range/range'
import { strokeOf, type ChartColors, type Stroke } from './colors'

export interface ChartSeries {
  key: string
  name: string
  /** One per time; null for future values. */
  values: (number | null)[]
  /** Whether it is the comparison. */
  dashed?: boolean
  /** The palette index, or NEUTRAL. Defaults to the position among the series. */
  color?: number
  /** The times of the values, if they differ from the chart's. */
  times?: (number | undefined)[]
}

export interface ChartData {
  /** The start of each bucket (ms). */
  times: number[]
  series: ChartSeries[]
  granularity: BucketSize
  timezone: string
  stacked?: boolean
  /** The start of the unfinished bucket, whose values are so far. */
  partial?: number | null
}

export interface DrawnSeries extends ChartSeries {
  stroke: Stroke
}

export function drawn(series: ChartSeries[], colors: ChartColors): DrawnSeries[] {
  return series.map((one, index) => ({
    ...one,
    stroke: strokeOf(one.color ?? index, one.dashed ?? false, colors),
  }))
}

/** The index of the unfinished bucket, or -1. */
export function partialIndex({ times, partial }: Pick<ChartData, 'times' | 'partial'>): number {
  return partial == null ? -1 : times.indexOf(partial)
}

/** All zeros count as empty. */
export function isEmpty({ times, series }: ChartData): boolean {
  return times.length === 0 || series.every(({ values }) => values.every((value) => !value))
}
