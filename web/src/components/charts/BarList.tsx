/** Values with their counts, longest bar first: which browser, which event, which reason. */
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { Counted } from '../table/Counted'
import { percent } from './format'
import styles from './BarList.module.css'

interface BarRow {
  key: string
  name: React.ReactNode
  /** Share of the total, 0 to 1: the bar's length. */
  share: number
  /** One per column. */
  counts: number[]
  /** Not a real value, such as the rest. */
  soft?: boolean
}

interface BarListProps {
  label: string
  /** The heading of the values. */
  heading: string
  /** The headings of the counts. */
  columns: string[]
  rows: BarRow[]
}

export function BarList({ label, heading, columns, rows }: BarListProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <table className={styles.list} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{heading}</th>
          {columns.map((column) => (
            <th key={column} scope="col" className={styles.number}>
              {column}
            </th>
          ))}
          <th scope="col" className={styles.number}>
            {t('chart.share')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, share, counts, soft }) => (
          <tr key={key}>
            <th scope="row" className={soft ? styles.soft : undefined}>
              <span
                className={styles.bar}
                style={{ width: `${share * 100}%` }}
                aria-hidden="true"
              />
              <span className={styles.name}>{name}</span>
            </th>
            {counts.map((count, index) => (
              <td key={columns[index]} className={styles.number}>
                <Counted value={count} />
              </td>
            ))}
            <td className={styles.number}>{percent(share, language)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
