import type { BucketSize } from '../range/range'
import { strokeOf, type ChartColors, type Stroke } from './colors'

export interface ChartSeries {
  key: string
  name: string
  /** One for each of the chart's times; null for what lies ahead. */
  values: (number | null)[]
  /** What is compared with. */
  dashed?: boolean
  /** Which of the palette's colors; NEUTRAL for none. Its place among the series, where not said. */
  color?: number
  /** The times that the values are of, where those are not the chart's own. */
  times?: (number | undefined)[]
}

export interface ChartData {
  /** Where each bucket begins (ms). */
  times: number[]
  series: ChartSeries[]
  granularity: BucketSize
  timezone: string
  stacked?: boolean
  /** The one of the times whose bucket is not over: its values are so far. */
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

/** The place of the bucket that is not over; -1 where all are. */
export function partialIndex({ times, partial }: Pick<ChartData, 'times' | 'partial'>): number {
  return partial == null ? -1 : times.indexOf(partial)
}

/** Zeros all over are nothing to look at. */
export function isEmpty({ times, series }: ChartData): boolean {
  return times.length === 0 || series.every(({ values }) => values.every((value) => !value))
}
