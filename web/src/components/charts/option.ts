/** What the chart library is told to draw. */
import type { EChartsCoreOption } from 'echarts/core'
import type { Granularity } from '../range/range'
import type { ChartColors } from './colors'
import { axisLabel, compactCount, type BucketStyle } from './format'
import type { ChartData, DrawnSeries } from './series'

interface Drawing extends Pick<ChartData, 'times' | 'stacked'> {
  series: DrawnSeries[]
  style: BucketStyle
  colors: ChartColors
  animated: boolean
  /** How wide the chart is at the moment of drawing. */
  width: () => number
}

export function lineOption(drawing: Drawing): EChartsCoreOption {
  const { times, series, stacked = false, style, colors, animated, width } = drawing
  const { palette } = colors
  const whole = series.every(({ values }) => values.every(Number.isInteger))
  // One line alone stands on a tint of itself; more would muddy each other.
  const alone = series.filter(({ dashed }) => !dashed).length === 1
  return {
    animation: animated,
    animationDuration: 300,
    animationDurationUpdate: 200,
    textStyle: { fontFamily: fontFamily(), color: palette['text-soft'] },
    grid: { left: 4, right: 16, top: 12, bottom: 4, outerBoundsMode: 'same' },
    xAxis: {
      type: 'category',
      data: times.map((time) => axisLabel(time, style)),
      boundaryGap: times.length === 1,
      axisLine: { lineStyle: { color: palette.line } },
      axisTick: { show: false },
      axisLabel: {
        color: palette['text-soft'],
        fontSize: 12,
        hideOverlap: true,
        interval: (index: number) => isLabelled(index, times.length, style.granularity, width()),
        margin: 10,
        // Inside of the chart's edges, or the lines would have to end before them.
        alignMinLabel: times.length > 1 ? 'left' : undefined,
        alignMaxLabel: times.length > 1 ? 'right' : undefined,
      },
    },
    yAxis: {
      type: 'value',
      min: 0,
      minInterval: whole ? 1 : 0,
      splitNumber: 4,
      splitLine: { lineStyle: { color: palette.line } },
      axisLabel: {
        color: palette['text-soft'],
        fontSize: 12,
        formatter: (value: number) => compactCount(value, style.language),
      },
    },
    series: series.map(({ key, name, values, dashed, stroke }) => ({
      id: key,
      name,
      type: 'line',
      data: values,
      stack: stacked && !dashed ? 'all' : undefined,
      color: stroke.color,
      // A single point makes no line.
      showSymbol: times.length === 1,
      symbol: 'circle',
      symbolSize: 6,
      silent: true,
      emphasis: { disabled: true },
      lineStyle: { color: stroke.color, width: dashed ? 1.5 : 2, type: stroke.line },
      areaStyle: areaOf(stacked, alone, dashed),
    })),
  }
}

/** How many buckets may lie from one label to the next: what people count days and hours in. */
const STEPS: Record<Granularity, number[]> = {
  hour: [1, 2, 3, 4, 6, 12, 24, 48, 168],
  day: [1, 2, 3, 7, 14, 28],
  week: [1, 2, 4, 13, 26],
  month: [1, 2, 3, 6, 12],
}
const LABEL_ROOM = 72

/** Evenly, and with the newest bucket among them; hours are counted from where the range begins. */
export function isLabelled(
  index: number,
  count: number,
  granularity: Granularity,
  width: number,
): boolean {
  const most = Math.max(2, Math.floor(width / LABEL_ROOM))
  const least = (count - 1) / (most - 1)
  const step = STEPS[granularity].find((one) => one >= least) ?? Math.ceil(least)
  return (granularity === 'hour' ? index : count - 1 - index) % step === 0
}

function areaOf(stacked: boolean, alone: boolean, dashed = false) {
  if (dashed || !(stacked || alone)) return undefined
  return { opacity: stacked ? 0.4 : 0.08 }
}

/** A canvas does not know custom properties. */
export function fontFamily(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--font') || 'sans-serif'
}
