import type { RetentionCohort, RetentionQuestion } from '../../../api/analysisTypes'
import { axisLabel, bucketLabel } from '../../charts/format'
import { Counted } from '../../table/Counted'
import { useIsNarrow } from '../../table/useIsNarrow'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { Figure } from './Figure'
import { HeatCell } from './HeatCell'
import { useZone } from './result'
import { cellText, isAhead, shareOf, unitName } from './retention'
import { useSteps } from './ShowMore'
import { Scroll } from './Scroll'
import styles from './retention.module.css'

interface HeatMapProps {
  question: RetentionQuestion
  cohorts: RetentionCohort[]
  average: (number | null)[]
  counted: 'share' | 'people'
  onPick: ((cohort: number, unit: number | null) => void) | null
}

export function HeatMap({ question, cohorts, average, counted, onPick }: HeatMapProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const timezone = useZone(question)
  const narrow = useIsNarrow()
  const { unit } = question
  const style = { granularity: unit, timezone, language }
  const { shown, more } = useSteps(cohorts)
  const size = cohorts.reduce((sum, cohort) => sum + cohort.size, 0)
  return (
    <>
      <Scroll label={t('results.retention.view.table')}>
        <table className={styles.heat} aria-label={t('results.retention.view.table')}>
          <thead>
            <tr>
              <th scope="col">{t(`results.retention.began.${unit}`)}</th>
              <th scope="col">{t('results.retention.size')}</th>
              {average.map((_, number) => (
                <th key={number} scope="col">
                  {unitName(unit, number, t)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className={styles.average}>
              <th scope="row" title={t('results.retention.averageNote')}>
                {t('results.retention.average')}
              </th>
              <td>
                <Counted value={size} />
              </td>
              {average.map((share, number) => (
                <HeatCell key={number} share={share} ahead={isAhead(cohorts, number)}>
                  {cellText('share', share, null, language)}
                </HeatCell>
              ))}
            </tr>
            {shown.map((cohort) => {
              const began = bucketLabel(cohort.start, style)
              return (
                <tr key={cohort.start}>
                  <th scope="row" title={began}>
                    {narrow ? axisLabel(cohort.start, style) : began}
                  </th>
                  <td>
                    <Figure
                      value={cohort.size}
                      of={began}
                      onOpen={onPick && (() => onPick(cohort.start, null))}
                    />
                  </td>
                  {average.map((_, number) => {
                    const people = cohort.returned[number] ?? null
                    const share = shareOf(cohort, number)
                    return (
                      <HeatCell key={number} share={share} ahead={people === null}>
                        {people !== null && (
                          <Figure
                            value={people}
                            of={`${began} · ${unitName(unit, number, t)}`}
                            onOpen={onPick && (() => onPick(cohort.start, number))}
                          >
                            {cellText(counted, share, people, language)}
                          </Figure>
                        )}
                      </HeatCell>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
      {more}
      {average.length > 0 && <p className={styles.note}>{t('results.retention.aheadNote')}</p>}
    </>
  )
}
