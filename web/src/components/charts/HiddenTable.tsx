import { memo } from 'react'
import { useT } from '../../i18n/useT'
import { UNKNOWN } from '../table/Counted'
import type { ChartSeries } from './series'

interface HiddenTableProps {
  caption: string
  /** What the rows are, such as "Time". */
  heading: string
  labels: string[]
  series: Pick<ChartSeries, 'key' | 'name' | 'values'>[]
  /** For each row, whether it is unfinished. */
  unfinished?: boolean[]
  format: (value: number) => string
}

/** The numbers behind a chart, for screen readers. */
export const HiddenTable = memo(function HiddenTable(props: HiddenTableProps) {
  const { caption, heading, labels, series, unfinished, format } = props
  const t = useT()
  return (
    <div className="visually-hidden">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {series.map(({ key, name }) => (
              <th key={key} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, index) => (
            <tr key={index}>
              <th scope="row">
                {label}
                {unfinished?.[index] && ` · ${t('chart.soFar')}`}
              </th>
              {series.map(({ key, values }) => (
                <td key={key}>{values[index] == null ? UNKNOWN : format(values[index])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
})
