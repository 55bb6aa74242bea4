import type { FunnelAnswer, FunnelQuestion, FunnelStep } from '../../../api/analysisTypes'
import { percent } from '../../charts/format'
import { UNKNOWN } from '../../table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { Figure } from './Figure'
import { Plot } from './Plot'
import type { PlotData } from './plotOption'
import { pickedGroup, type OnPick } from './result'
import { useGroupName } from './useGroupName'
import { elapsed, eventName, groupKey } from './words'
import { Scroll } from './Scroll'
import styles from './results.module.css'

interface FunnelGroupsProps {
  question: FunnelQuestion
  answer: FunnelAnswer
  plot: PlotData
  onPick: OnPick
}

/** The same funnel for each breakdown value. */
export function FunnelGroups({ question, answer, plot, onPick }: FunnelGroupsProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const nameOf = useGroupName(question)
  const { groups } = answer
  const opener = (place: number, step: number, dropped = false) => {
    const group = pickedGroup(groups[place]!)
    return onPick && (() => onPick({ of: 'funnel', step, dropped, group }))
  }
  return (
    <>
      <Plot
        data={plot}
        label={t('results.funnel.view.groups')}
        heading={t('results.funnel.stepHeading')}
        hasTable
        onPoint={
          onPick
            ? (step, key) =>
                opener(
                  plot.series.findIndex((one) => one.key === key),
                  step,
                )?.()
            : undefined
        }
      />
      <Scroll label={t('results.funnel.view.groups')}>
        <table className={styles.table} aria-label={t('results.funnel.view.groups')}>
          <thead>
            <tr>
              <th scope="col">{t('results.value')}</th>
              {question.steps.map((step, index) => (
                <th key={index} scope="col" className={styles.number}>
                  {t('results.funnel.step', { number: index + 1, name: eventName(step, t) })}
                </th>
              ))}
              <th scope="col" className={styles.number}>
                {t('results.funnel.conversion')}
              </th>
              <th scope="col" className={styles.number}>
                {t('results.funnel.medianTime')}
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.map((group, place) => {
              const name = nameOf(group)
              const last = group.steps.at(-1)
              return (
                <tr key={groupKey(group, place)}>
                  <th scope="row" className={group.other ? styles.soft : undefined}>
                    {name}
                  </th>
                  {group.steps.map((step, index) => (
                    <td key={index} className={styles.number}>
                      <Figure value={step.people} of={name} onOpen={opener(place, index)} />
                      {index > 0 && (
                        <FromPrevious
                          step={step}
                          before={group.steps[index - 1]!}
                          group={name}
                          event={eventName(question.steps[index]!, t)}
                          onOpen={opener(place, index, true)}
                        />
                      )}
                    </td>
                  ))}
                  <td className={styles.number}>
                    {last?.from_first == null ? UNKNOWN : percent(last.from_first, language)}
                  </td>
                  <td className={styles.number}>
                    {last?.median_seconds == null
                      ? UNKNOWN
                      : elapsed(last.median_seconds, language)}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}

interface FromPreviousProps {
  step: FunnelStep
  before: FunnelStep
  group: string
  event: string
  /** Lists the people who got no further. */
  onOpen: (() => void) | null
}

/** The share that came from the previous step, and how many didn't. */
function FromPrevious({ step, before, group, event, onOpen }: FromPreviousProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const lost = before.people - step.people
  const dropped = t('results.funnel.droppedBefore', { name: event })
  return (
    <>
      {step.from_previous !== null && <small>{percent(step.from_previous, language)}</small>}
      {lost > 0 && (
        <small>
          <Figure value={lost} of={`${group} · ${dropped}`} onOpen={onOpen}>
            {t('results.funnel.dropped', { count: lost })}
          </Figure>
        </small>
      )}
    </>
  )
}
