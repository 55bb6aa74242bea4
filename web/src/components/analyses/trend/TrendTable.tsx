import type { TrendAnswer, TrendQuestion } from '../../../api/analysisTypes'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { bucketLabel } from '../../charts/format'
import { partialIndex } from '../../charts/series'
import { useSteps } from '../results/ShowMore'
import { useZone, type OnPick } from '../results/result'
import { RowTotal } from './RowTotal'
import type { TrendRow } from './rows'
import { Scroll } from '../results/Scroll'
import styles from './trend.module.css'

interface TrendTableProps {
  rows: TrendRow[]
  question: TrendQuestion
  answer: TrendAnswer
  onPick: OnPick
}

/** Every number, newest first, without future buckets. */
export function TrendTable({ rows, question, answer, onPick }: TrendTableProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const timezone = useZone(question)
  const style = { granularity: question.granularity ?? 'day', timezone, language }
  const unfinished = partialIndex(answer)
  const last = unfinished < 0 ? answer.times.length - 1 : unfinished
  const { shown, more } = useSteps(Array.from({ length: last + 1 }, (_, at) => last - at))
  return (
    <>
      <Scroll label={t('analyses.chart.table')}>
        <table className={styles.table} aria-label={t('analyses.chart.table')}>
          <thead>
            <tr>
              <th scope="col">{t('chart.time')}</th>
              {rows.map(({ key, name }) => (
                <th key={key} scope="col" className={styles.figure}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">{t('analyses.total')}</th>
              {rows.map((row) => (
                <td key={row.key} className={styles.figure}>
                  <RowTotal row={row} onPick={onPick} />
                </td>
              ))}
            </tr>
            {shown.map((index) => {
              const time = answer.times[index]!
              const label = bucketLabel(time, style)
              return (
                <tr key={time}>
                  <th scope="row">
                    {label}
                    {index === unfinished && (
                      <span className={styles.soft}> · {t('chart.soFar')}</span>
                    )}
                  </th>
                  {rows.map((row) => (
                    <td key={row.key} className={styles.figure}>
                      <RowTotal row={row} onPick={onPick} at={{ index, time, label }} />
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
      {more}
    </>
  )
}
