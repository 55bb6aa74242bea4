import { UNKNOWN } from '../../table/Counted'
import { useT } from '../../../i18n/useT'
import type { PlotData } from './plotOption'

interface PlotTableProps {
  caption: string
  heading: string
  data: PlotData
}

/** The numbers behind a drawing, for whoever does not see it. */
export function PlotTable({ caption, heading, data }: PlotTableProps) {
  const t = useT()
  const { labels, series, unfinished, format } = data
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
}
