/** Bars or lines over ordered places: time buckets, steps, or number ranges. */
import type { EChartsCoreOption } from 'echarts/core'
import { chartColors, type ChartColors } from '../../charts/colors'
import { fontFamily } from '../../charts/option'
import { pictureOf } from '../../charts/picture'
import { drawn, type ChartSeries, type DrawnSeries } from '../../charts/series'

export interface PlotData {
  shape: 'bars' | 'line'
  /** Each place's name: below the axis, and in full. */
  ticks: string[]
  labels: string[]
  series: ChartSeries[]
  stacked?: boolean
  /** For each place, whether it is not over yet. */
  unfinished?: boolean[]
  format: (value: number) => string
  /** The axis maximum: shares never exceed the whole. */
  most?: number
  /** The unit, shown above the axis. */
  unit?: string
  /** Shorter, for the axis. */
  axis: (value: number) => string
}

interface Drawing extends Omit<PlotData, 'series'> {
  series: DrawnSeries[]
  colors: ChartColors
  animated: boolean
  width: () => number
}

const TICK_ROOM = 64
/** The width of the value axis labels. */
const AXIS_ROOM = 72

export function plotOption(drawing: Drawing): EChartsCoreOption {
  const { shape, ticks, series, axis, colors, animated, width } = drawing
  const { palette } = colors
  const bars = shape === 'bars'
  const room = width() - AXIS_ROOM
  const step = tickStep(ticks.length, room)
  return {
    animation: animated,
    animationDuration: 300,
    animationDurationUpdate: 200,
    textStyle: { fontFamily: fontFamily(), color: palette['text-soft'] },
    grid: { left: 4, right: 16, top: drawing.unit ? 30 : 12, bottom: 4, outerBoundsMode: 'same' },
    xAxis: {
      type: 'category',
      data: ticks,
      boundaryGap: bars || ticks.length === 1,
      axisLine: { lineStyle: { color: palette.line }, onZero: true },
      axisTick: { show: false },
      axisLabel: {
        color: palette['text-soft'],
        fontSize: 12,
        lineHeight: 16,
        hideOverlap: true,
        overflow: 'truncate',
        // No wider than the space between ticks, or labels would hide each other.
        width: Math.max(TICK_ROOM / 2, (step * room) / ticks.length - 8),
        interval: (index: number) => index % step === 0,
        margin: 10,
      },
    },
    yAxis: {
      type: 'value',
      name: drawing.unit,
      nameGap: 12,
      nameTextStyle: { color: palette['text-soft'], fontSize: 12, align: 'left', padding: 0 },
      max: drawing.most,
      // Even steps all the way to the maximum.
      interval: drawing.most && drawing.most / 4,
      minInterval: areWhole(series) ? 1 : 0,
      splitNumber: 4,
      splitLine: { lineStyle: { color: palette.line } },
      axisLabel: { color: palette['text-soft'], fontSize: 12, formatter: axis },
    },
    series: series.flatMap<object>((one) => (bars ? barsOf(one, drawing) : linesOf(one, drawing))),
  }
}

const tickStep = (count: number, width: number) =>
  Math.max(1, Math.ceil(count / Math.max(2, Math.floor(width / TICK_ROOM))))

const areWhole = (series: ChartSeries[]) =>
  series.every(({ values }) => values.every((value) => value === null || Number.isInteger(value)))

/** Unfinished bars are paler with a dashed outline; the compared period's are hollow. */
function barsOf(one: DrawnSeries, { stacked, unfinished }: Drawing) {
  const { key, name, values, stroke, dashed } = one
  const soFar = { opacity: 0.4, borderColor: stroke.color, borderType: 'dashed', borderWidth: 1 }
  return {
    id: key,
    name,
    type: 'bar',
    data: values.map((value, index) => (unfinished?.[index] ? { value, itemStyle: soFar } : value)),
    stack: stacked ? 'all' : undefined,
    barMaxWidth: 48,
    barCategoryGap: values.length > 60 ? '5%' : '25%',
    color: stroke.color,
    itemStyle: dashed
      ? { color: 'transparent', borderColor: stroke.color, borderWidth: 1.5 }
      : undefined,
    emphasis: { disabled: true },
  }
}

/** The line to an unfinished place is dashed, starting at the last finished one. */
function linesOf({ key, name, values, stroke }: DrawnSeries, { unfinished = [] }: Drawing) {
  const common = {
    name,
    type: 'line',
    color: stroke.color,
    symbol: 'circle',
    symbolSize: 6,
    silent: true,
    emphasis: { disabled: true },
  }
  const whole = {
    ...common,
    id: key,
    data: values.map((value, index) => (unfinished[index] ? null : value)),
    // Single points don't make a line.
    showSymbol: values.filter((value) => value !== null).length < 3,
    lineStyle: { color: stroke.color, width: 2, type: stroke.line },
  }
  if (!unfinished.some(Boolean)) return [whole]
  const soFar = values.map((value, index) =>
    unfinished[index] ? value : unfinished[index + 1] ? { value, symbol: 'none' } : null,
  )
  const dashed = { color: stroke.color, width: 2, type: 'dashed' }
  return [
    whole,
    { ...common, id: `${key} so far`, data: soFar, showSymbol: true, lineStyle: dashed },
  ]
}

/** Always light and with all series, for documents. */
export function plotPicture(data: PlotData, title: string, note?: string): Promise<Blob> {
  const colors = chartColors(false)
  const series = drawn(data.series, colors)
  return pictureOf({
    title,
    note,
    legend: series.length > 1 ? series : [],
    option: (width) => plotOption({ ...data, series, colors, animated: false, width }),
  })
}
