import { useCallback, useEffect, useMemo, useState } from 'react'
import { ChartLegend } from '../../charts/ChartLegend'
import { chartColors } from '../../charts/colors'
import { HiddenTable } from '../../charts/HiddenTable'
import { drawn } from '../../charts/series'
import { useChart } from '../../charts/useChart'
import { usePointed } from '../../charts/usePointed'
import { useT } from '../../../i18n/useT'
import { useIsDark, useThemeStore } from '../../../theme/store'
import { plotOption, type PlotData } from './plotOption'
import { PlotTooltip } from './PlotTooltip'
import { Stage } from './Stage'
import chartStyles from '../../charts/LineChart.module.css'
import styles from './results.module.css'

interface PlotProps {
  data: PlotData
  label: string
  height?: number
  /** The name of the axis, such as "Step". */
  heading: string
  /** A visible table beside the chart shows the same numbers. */
  hasTable?: boolean
  /** Called on a click on a series at a place. */
  onPoint?: (index: number, key: string) => void
}

export function Plot({ data, label, height = 280, heading, hasTable, onPoint }: PlotProps) {
  const t = useT()
  const dark = useIsDark()
  const animated = !useThemeStore((state) => state.lessMotion)
  const [hidden, setHidden] = useState<string[]>([])
  const all = useMemo(() => drawn(data.series, chartColors(dark)), [data, dark])
  const series = useMemo(() => all.filter(({ key }) => !hidden.includes(key)), [all, hidden])
  const option = useCallback(
    (width: () => number) =>
      plotOption({ ...data, series, colors: chartColors(dark), animated, width }),
    [data, series, dark, animated],
  )
  const stage = useChart(option)
  const { chart } = stage
  const alone = all.length === 1 ? all[0]!.key : null
  const pointed = usePointed(chart, data.ticks.length, {
    // With no bar beside it, a click anywhere above or below counts.
    onChoose: alone === null ? undefined : (index) => onPoint?.(index, alone),
  })

  useEffect(() => {
    if (!chart || !onPoint || alone !== null) return
    const choose = ({ dataIndex, seriesId }: { dataIndex?: number; seriesId?: string }) => {
      if (dataIndex !== undefined && seriesId !== undefined) onPoint(dataIndex, seriesId)
    }
    chart.on('click', choose)
    return () => {
      if (!chart.isDisposed()) chart.off('click', choose)
    }
  }, [chart, onPoint, alone])

  return (
    <figure className={chartStyles.chart}>
      {all.length > 1 && <ChartLegend series={all} hidden={hidden} onChange={setHidden} />}
      <Stage
        drawn={stage}
        label={label}
        height={height}
        leads={Boolean(onPoint)}
        keys
        {...pointed.handlers}
      >
        {chart && pointed.index !== null && pointed.index < data.ticks.length && (
          <PlotTooltip
            chart={chart}
            index={pointed.index}
            byKey={pointed.byKey}
            data={data}
            series={series}
            hint={onPoint && t('results.seePeople')}
          />
        )}
      </Stage>
      {data.unfinished?.some(Boolean) && (
        <figcaption className={styles.note}>{t(`results.unfinished.${data.shape}`)}</figcaption>
      )}
      {!hasTable && <HiddenTable caption={label} heading={heading} {...data} />}
    </figure>
  )
}
