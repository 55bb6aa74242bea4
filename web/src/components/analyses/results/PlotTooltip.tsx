import type { EChartsType } from 'echarts/core'
import { Sample } from '../../charts/ChartLegend'
import type { DrawnSeries } from '../../charts/series'
import { UNKNOWN } from '../../table/Counted'
import { useT } from '../../../i18n/useT'
import type { PlotData } from './plotOption'
import styles from '../../charts/ChartTooltip.module.css'

interface PlotTooltipProps {
  chart: EChartsType
  index: number
  byKey: boolean
  data: PlotData
  series: DrawnSeries[]
  /** What a click does. */
  hint?: string
}

/** Everything about one place, beside a vertical line. */
export function PlotTooltip({ chart, index, byKey, data, series, hint }: PlotTooltipProps) {
  const t = useT()
  const x = Number(chart.convertToPixel({ xAxisIndex: 0 }, index))
  if (!Number.isFinite(x)) return null
  return (
    <>
      <div className={styles.line} style={{ left: x }} aria-hidden="true" />
      <div
        className={styles.tooltip}
        data-side={x > chart.getWidth() / 2 ? 'before' : 'after'}
        style={{ left: x }}
        // Announced only for keyboard users: a mouse would make it talk constantly.
        role={byKey ? 'status' : undefined}
        aria-hidden={byKey ? undefined : true}
      >
        <p className={styles.time}>
          {data.labels[index]}
          {data.unfinished?.[index] && ` · ${t('chart.soFar')}`}
        </p>
        <ul className={styles.rows}>
          {series.map(({ key, name, values, stroke }) => (
            <li key={key}>
              <Sample stroke={stroke} />
              <span className={styles.name}>{name}</span>
              <b>{values[index] == null ? UNKNOWN : data.format(values[index])}</b>
            </li>
          ))}
        </ul>
        {hint && <p className={styles.hint}>{hint}</p>}
      </div>
    </>
  )
}
