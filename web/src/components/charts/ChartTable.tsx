import { memo } from 'react'
import { useT } from '../../i18n/useT'
import { bucketLabel, countOrNone, type BucketStyle } from './format'
import type { ChartSeries } from './series'

interface ChartTableProps {
  caption: string
  times: number[]
  series: ChartSeries[]
  /** The place of the bucket that is not over, or -1. */
  unfinished: number
  style: BucketStyle
}

/** The numbers behind the lines, for whoever does not see them. */
export const ChartTable = memo(function ChartTable(props: ChartTableProps) {
  const { caption, times, series, unfinished, style } = props
  const t = useT()
  return (
    <div className="visually-hidden">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t('chart.time')}</th>
            {series.map(({ key, name }) => (
              <th key={key} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row">
                {bucketLabel(time, style)}
                {index === unfinished && ` · ${t('chart.soFar')}`}
              </th>
              {series.map(({ key, values }) => (
                <td key={key}>{countOrNone(values[index], style.language)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
})
