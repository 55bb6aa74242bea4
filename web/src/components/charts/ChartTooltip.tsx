import type { EChartsType } from 'echarts/core'
import { useT } from '../../i18n/useT'
import { bucketLabel, countOrNone, type BucketStyle } from './format'
import type { DrawnSeries } from './series'
import { Sample } from './ChartLegend'
import styles from './ChartTooltip.module.css'

interface ChartTooltipProps {
  chart: EChartsType
  index: number
  byKey: boolean
  times: number[]
  series: DrawnSeries[]
  stacked?: boolean
  /** Whether the bucket is unfinished. */
  soFar: boolean
  style: BucketStyle
  /** What a click does. */
  hint?: string
}

/** Everything about one bucket, beside a vertical line. */
export function ChartTooltip(props: ChartTooltipProps) {
  const { chart, index, byKey, times, series, stacked, soFar, style, hint } = props
  const t = useT()
  const x = Number(chart.convertToPixel({ xAxisIndex: 0 }, index))
  if (!Number.isFinite(x)) return null
  const values = series.map((one) => one.values[index]).filter((value) => value != null)
  const sum = values.length > 0 ? values.reduce((total, value) => total + value, 0) : null
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
          {bucketLabel(times[index]!, style)}
          {soFar && ` · ${t('chart.soFar')}`}
        </p>
        <ul className={styles.rows}>
          {series.map((one) => (
            <li key={one.key}>
              <Sample stroke={one.stroke} />
              <span className={styles.name}>
                {one.name}
                {one.times?.[index] !== undefined && (
                  <small>{bucketLabel(one.times[index], style)}</small>
                )}
              </span>
              <b>{countOrNone(one.values[index], style.language)}</b>
            </li>
          ))}
          {stacked && series.length > 1 && (
            <li>
              <span />
              <span className={styles.name}>{t('chart.sum')}</span>
              <b>{countOrNone(sum, style.language)}</b>
            </li>
          )}
        </ul>
        {hint && <p className={styles.hint}>{hint}</p>}
      </div>
    </>
  )
}
