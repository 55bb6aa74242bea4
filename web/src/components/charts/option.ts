/** Builds the ECharts options. */
import type { EChartsCoreOption } from 'echarts/core'
import type { BucketSize } from '../range/range'
import type { ChartColors } from './colors'
import { axisLabel, compactCount, type BucketStyle } from './format'
import { partialIndex, type ChartData, type DrawnSeries } from './series'

interface Drawing extends Pick<ChartData, 'times' | 'stacked' | 'partial'> {
  series: DrawnSeries[]
  /** The label of the unfinished bucket. */
  soFar: string
  style: BucketStyle
  colors: ChartColors
  animated: boolean
  /** The chart's current width. */
  width: () => number
}

export function lineOption(drawing: Drawing): EChartsCoreOption {
  const { times, series, stacked = false, style, colors, animated, width } = drawing
  const { palette } = colors
  const whole = series.every(({ values }) =>
    values.every((value) => value === null || Number.isInteger(value)),
  )
  const isBelow = series.some(({ values }) => values.some((value) => value !== null && value < 0))
  // A single line gets a tinted area; several would blur together.
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
        interval: (index: number) => isLabeled(index, times.length, style.granularity, width()),
        margin: 10,
        // Labels stay within the chart's edges; otherwise the lines would have to end earlier.
        alignMinLabel: times.length > 1 ? 'left' : undefined,
        alignMaxLabel: times.length > 1 ? 'right' : undefined,
      },
    },
    yAxis: {
      type: 'value',
      min: isBelow ? undefined : 0,
      minInterval: whole ? 1 : 0,
      splitNumber: 4,
      splitLine: { lineStyle: { color: palette.line } },
      axisLabel: {
        color: palette['text-soft'],
        fontSize: 12,
        formatter: (value: number) => compactCount(value, style.language),
      },
    },
    series: [
      ...series.map((one) => lineOf(one, { ...drawing, stacked, alone })),
      ...soFarLines({ ...drawing, stacked, alone }),
    ],
  }
}

interface Lines extends Drawing {
  stacked: boolean
  alone: boolean
}

function lineOf({ key, name, values, dashed, stroke }: DrawnSeries, lines: Lines) {
  const { times, stacked, alone } = lines
  const partial = dashed ? -1 : partialIndex(lines)
  return {
    id: key,
    name,
    type: 'line',
    data: partial < 0 ? values : values.map((value, index) => (index < partial ? value : null)),
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
  }
}

/**
 * A dashed segment from the last finished bucket to the unfinished one, ending in a labeled ring.
 */
function soFarLines(lines: Lines) {
  const { times, series, stacked, alone, soFar } = lines
  const { palette } = lines.colors
  const partial = partialIndex(lines)
  if (partial < 0) return []
  const isLast = partial === times.length - 1
  const label = {
    show: true,
    position: 'top',
    align: isLast && partial > 0 ? 'right' : partial === 0 && !isLast ? 'left' : 'center',
    formatter: soFar,
    color: palette['text-soft'],
    backgroundColor: palette.surface,
    borderRadius: 3,
    padding: [1, 3],
    fontSize: 12,
  }
  const now = series.filter(({ dashed }) => !dashed)
  // Label only the highest line at that point.
  const highest = stacked ? now.at(-1) : maxBy(now, ({ values }) => values[partial] ?? 0)
  return now.map((one) => ({
    ...lineOf({ ...one, dashed: true }, lines),
    id: `${one.key} so far`,
    data: one.values.map((value, index) => {
      if (index === partial - 1) return { value, symbol: 'none' }
      if (index !== partial) return null
      const itemStyle = { color: palette.surface, borderColor: one.stroke.color, borderWidth: 2 }
      return { value, itemStyle, label: one === highest ? label : undefined }
    }),
    stack: stacked ? 'so far' : undefined,
    showSymbol: true,
    showAllSymbol: true,
    symbolSize: 7,
    lineStyle: { color: one.stroke.color, width: 2, type: 'dashed' },
    areaStyle: areaOf(stacked, alone),
  }))
}

function maxBy<Item>(items: Item[], size: (item: Item) => number): Item | undefined {
  return items.reduce<Item | undefined>(
    (most, item) => (most === undefined || size(item) > size(most) ? item : most),
    undefined,
  )
}

/** The allowed numbers of buckets between two labels: how people count days, hours, and minutes. */
const STEPS: Record<BucketSize, number[]> = {
  minute: [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440],
  hour: [1, 2, 3, 4, 6, 12, 24, 48, 168],
  day: [1, 2, 3, 7, 14, 28],
  week: [1, 2, 4, 13, 26],
  month: [1, 2, 3, 6, 12],
}
const LABEL_ROOM = 72

/**
 * Evenly spaced, including the newest bucket; hours and minutes count from the start of the range.
 */
export function isLabeled(
  index: number,
  count: number,
  granularity: BucketSize,
  width: number,
): boolean {
  const most = Math.max(2, Math.floor(width / LABEL_ROOM))
  const least = (count - 1) / (most - 1)
  const step = STEPS[granularity].find((one) => one >= least) ?? Math.ceil(least)
  const clock = granularity === 'hour' || granularity === 'minute'
  return (clock ? index : count - 1 - index) % step === 0
}

function areaOf(stacked: boolean, alone: boolean, dashed = false) {
  if (dashed || !(stacked || alone)) return undefined
  return { opacity: stacked ? 0.4 : 0.08 }
}

/** A canvas can't use custom properties. */
export function fontFamily(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--font') || 'sans-serif'
}
