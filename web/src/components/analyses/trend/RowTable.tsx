import type { GroupValues, TrendAnswer, TrendQuestion } from '../../../api/analysisTypes'
import { useT } from '../../../i18n/useT'
import { ShareBar } from '../../charts/ShareBar'
import { partialIndex } from '../../charts/series'
import { Sparkline } from '../../charts/Sparkline'
import { propertyName, type CohortNames } from '../properties'
import type { OnPick } from '../results/result'
import { RowChange, RowTotal } from './RowTotal'
import { addsUp, type TrendRow } from './rows'
import { Scroll } from '../results/Scroll'
import { useSteps } from '../results/ShowMore'
import styles from './trend.module.css'

interface RowTableProps {
  rows: TrendRow[]
  question: TrendQuestion
  answer: TrendAnswer
  cohorts: CohortNames
  onPick: OnPick
  onGroup: (group: GroupValues) => void
}

/** Every series and group with its total, change, and a sparkline. */
export function RowTable(props: RowTableProps) {
  const { rows, question, answer, cohorts, onPick, onGroup } = props
  const t = useT()
  const { breakdown = [] } = question
  const compared = rows.some(({ before }) => before)
  const shared = breakdown.length > 0 && addsUp(question)
  const partial = partialIndex(answer)
  const { shown, more } = useSteps(rows)
  const heading = breakdown.map((property) => propertyName(property, t, cohorts)).join(' · ')
  return (
    <>
      <Scroll label={t('analyses.groups')}>
        <table className={styles.table} aria-label={t('analyses.groups')}>
          <thead>
            <tr>
              <th scope="col">{heading || t('analyses.series')}</th>
              <th scope="col" className={styles.figure}>
                {t('analyses.total')}
              </th>
              {shared && <th scope="col">{t('chart.share')}</th>}
              {compared && <th scope="col">{t('range.compare')}</th>}
              <th scope="col" className={styles.course}>
                {t('analyses.overTime')}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key}>
                <th scope="row" className={row.group ? styles.inside : undefined}>
                  <Name row={row} onGroup={onGroup} />
                </th>
                <td className={styles.figure}>
                  <RowTotal row={row} onPick={onPick} />
                </td>
                {shared && <td>{row.group && <Share row={row} rows={rows} />}</td>}
                {compared && <td>{row.before && <RowChange before={row.before} />}</td>}
                <td className={styles.course}>
                  <Sparkline values={row.points} partial={partial} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {more}
    </>
  )
}

function Name({
  row: { name, group },
  onGroup,
}: Pick<RowTableProps, 'onGroup'> & { row: TrendRow }) {
  const t = useT()
  const soft = group && (group.other || group.redacted.some(Boolean))
  if (!group || soft || group.values.includes('')) {
    return <span className={soft ? styles.soft : undefined}>{name}</span>
  }
  return (
    <button
      type="button"
      className={styles.link}
      title={t('analyses.narrow')}
      onClick={() => onGroup(group)}
    >
      {name}
    </button>
  )
}

function Share({ row, rows }: { row: TrendRow; rows: TrendRow[] }) {
  const whole = rows.find(({ series, group }) => series === row.series && group === null)?.total
  return whole && row.total !== null ? <ShareBar share={row.total / whole} /> : null
}
