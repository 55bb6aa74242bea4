import type { TrendAnswer } from '../../../api/analysisTypes'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { countOrNone } from '../../charts/format'
import { rangeText } from '../../range/rangeText'
import type { OnPick } from '../results/result'
import { RowChange, RowTotal } from './RowTotal'
import type { TrendRow } from './rows'
import styles from './trend.module.css'

interface TrendNumbersProps {
  rows: TrendRow[]
  answer: TrendAnswer
  onPick: OnPick
}

/** Just the totals, large enough to read across a room. */
export function TrendNumbers({ rows, answer, onPick }: TrendNumbersProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <ul className={styles.numbers}>
      {rows.map((row) => (
        <li key={row.key}>
          <span className={styles.soft}>{row.name}</span>
          <strong>
            <RowTotal row={row} onPick={onPick} />
          </strong>
          {answer.partial !== null && <span className={styles.soft}>{t('chart.soFar')}</span>}
          {row.before && (
            <span className={styles.before}>
              <RowChange before={row.before} />
              <span className={styles.soft}>
                {t('chart.previous', { value: countOrNone(row.before.total, language) })}
                {answer.compared && ` · ${rangeText(answer.compared, language)}`}
              </span>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
