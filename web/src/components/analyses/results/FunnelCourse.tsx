import type { FunnelAnswer, FunnelQuestion } from '../../../api/analysisTypes'
import { percent } from '../../charts/format'
import { UNKNOWN } from '../../table/Counted'
import { useIsNarrow } from '../../table/useIsNarrow'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { Figure } from './Figure'
import { Plot } from './Plot'
import type { PlotData } from './plotOption'
import type { OnPick } from './result'
import { useSteps } from './ShowMore'
import { Nothing } from './View'
import { Scroll } from './Scroll'
import styles from './results.module.css'

interface FunnelCourseProps {
  question: FunnelQuestion
  answer: FunnelAnswer
  plot: PlotData
  onPick: OnPick
}

/** Conversion by start date. People who started recently may still convert. */
export function FunnelCourse({ question, answer, plot, onPick }: FunnelCourseProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const narrow = useIsNarrow()
  const rows = answer.over_time.map((bucket, index) => ({
    ...bucket,
    label: plot.labels[index],
    short: plot.ticks[index],
  }))
  const { shown, more } = useSteps(rows.reverse())
  if (rows.every(({ began }) => began === 0)) return <Nothing />
  const last = question.steps.length - 1
  const opener = (time: number, step: number) =>
    onPick && (() => onPick({ of: 'funnel', step, dropped: false, group: null, time }))
  return (
    <>
      <Plot
        data={plot}
        label={t('results.funnel.view.course')}
        heading={t('chart.time')}
        hasTable
      />
      <Scroll label={t('results.funnel.view.course')}>
        <table className={styles.table} aria-label={t('results.funnel.view.course')}>
          <thead>
            <tr>
              <th scope="col">{t('chart.time')}</th>
              <th scope="col" className={styles.number}>
                {t('results.funnel.began')}
              </th>
              <th scope="col" className={styles.number}>
                {t('results.funnel.converted')}
              </th>
              <th scope="col" className={styles.number}>
                {t('results.funnel.conversion')}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ time, label, short, began, converted, complete }) => (
              <tr key={time} className={complete ? undefined : styles.unfinished}>
                <th scope="row" title={label}>
                  {narrow ? short : label}
                  {!complete && <small>{t('chart.soFar')}</small>}
                </th>
                <td className={styles.number}>
                  <Figure
                    value={began}
                    of={`${label} · ${t('results.funnel.began')}`}
                    onOpen={opener(time, 0)}
                  />
                </td>
                <td className={styles.number}>
                  <Figure
                    value={converted}
                    of={`${label} · ${t('results.funnel.converted')}`}
                    onOpen={opener(time, last)}
                  />
                </td>
                <td className={styles.number}>
                  {began === 0 ? UNKNOWN : percent(converted / began, language)}
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
