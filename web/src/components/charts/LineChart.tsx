/**
 * Lines over time. ECharts draws only lines and axes; the legend, tooltip, and screen reader table
 * are page elements, so they follow the content security policy, the theme, and the keyboard.
 */
import { Button } from 'antd'
import { useCallback, useImperativeHandle, useMemo, useState, type Ref } from 'react'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useIsDark, useThemeStore } from '../../theme/store'
import { ChartLegend } from './ChartLegend'
import { ChartTable } from './ChartTable'
import { ChartTooltip } from './ChartTooltip'
import { chartColors } from './colors'
import { lineOption } from './option'
import { chartPicture } from './picture'
import { drawn, isEmpty, partialIndex, type ChartData } from './series'
import { useChart } from './useChart'
import { usePointed } from './usePointed'
import styles from './LineChart.module.css'

/** The height of a short legend above the chart, for placeholders. */
export const LEGEND_HEIGHT = 36

export interface ChartHandle {
  /** A picture of all series with a title and, in small print, what it covers. */
  toPng: (title?: string, note?: string) => Promise<Blob>
}

interface LineChartProps extends ChartData {
  height?: number
  /** Describes the chart. */
  ariaLabel: string
  /** Shown if there is nothing to draw. */
  emptyText: React.ReactNode
  /** What a click or Enter on a bucket does, and its description. */
  onPoint?: { does: (index: number) => void; hint: string }
  ref?: Ref<ChartHandle>
}

export function LineChart({ ref, emptyText, height = 280, ...chart }: LineChartProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  useImperativeHandle(
    ref,
    () => ({
      toPng: (title = chart.ariaLabel, note) =>
        chartPicture({ ...chart, title, note, language, soFar: t('chart.soFar') }),
    }),
    [chart, language, t],
  )
  if (isEmpty(chart)) {
    return (
      <div className={styles.empty} style={{ height }}>
        {emptyText}
      </div>
    )
  }
  return <Lines {...chart} height={height} language={language} />
}

type LinesProps = Omit<LineChartProps, 'ref' | 'emptyText' | 'height'> & {
  height: number
  language: string
}

function Lines(props: LinesProps) {
  const { times, series, granularity, timezone, stacked, partial } = props
  const { height, ariaLabel, language, onPoint } = props
  const t = useT()
  const dark = useIsDark()
  const animated = !useThemeStore((state) => state.lessMotion)
  const [hidden, setHidden] = useState<string[]>([])

  const style = useMemo(
    () => ({ granularity, timezone, language }),
    [granularity, timezone, language],
  )
  const all = useMemo(() => drawn(series, chartColors(dark)), [series, dark])
  const shown = useMemo(() => all.filter(({ key }) => !hidden.includes(key)), [all, hidden])
  const option = useCallback(
    (width: () => number) => {
      const drawing = { times, series: shown, stacked, partial, soFar: t('chart.soFar') }
      return lineOption({ ...drawing, style, colors: chartColors(dark), animated, width })
    },
    [times, shown, stacked, partial, style, dark, animated, t],
  )
  const { host, chart, failed, retry } = useChart(option)
  const unfinished = partialIndex({ times, partial })
  const pointed = usePointed(chart, times.length, { unfinished, onChoose: onPoint?.does })

  return (
    <figure className={styles.chart}>
      {all.length > 1 && <ChartLegend series={all} hidden={hidden} onChange={setHidden} />}
      <div
        className={styles.stage}
        style={{ height }}
        data-leads={Boolean(onPoint)}
        {...pointed.handlers}
      >
        <div
          ref={host}
          className={styles.canvas}
          role="img"
          aria-label={ariaLabel}
          aria-keyshortcuts="ArrowLeft ArrowRight"
          tabIndex={0}
        />
        {!chart && !failed && <div className={styles.skeleton} aria-hidden="true" />}
        {failed && (
          <div className={styles.failure} role="alert">
            <p>{t('chart.failed')}</p>
            <Button onClick={retry}>{t('common.retry')}</Button>
          </div>
        )}
        {chart && pointed.index !== null && pointed.index < times.length && (
          <ChartTooltip
            chart={chart}
            index={pointed.index}
            byKey={pointed.byKey}
            times={times}
            series={shown}
            stacked={stacked}
            soFar={pointed.index === unfinished}
            style={style}
            hint={onPoint?.hint}
          />
        )}
      </div>
      <ChartTable
        caption={ariaLabel}
        times={times}
        series={series}
        unfinished={unfinished}
        style={style}
      />
    </figure>
  )
}
