import type { FunnelAnswer, FunnelQuestion, FunnelStep } from '../../../api/analysisTypes'
import { percent } from '../../charts/format'
import { Counted } from '../../table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { completeFilters } from '../filters'
import { eventText, filtersText } from '../sentence'
import { namesCohort, useCohortNames } from '../useCohortNames'
import { Figure } from './Figure'
import type { OnPick } from './result'
import { elapsed, eventName } from './words'
import styles from './funnel.module.css'

interface FunnelStepsProps {
  question: FunnelQuestion
  answer: FunnelAnswer
  onPick: OnPick
}

export function FunnelSteps({ question, answer, onPick }: FunnelStepsProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const words = { t, language, cohorts: useCohortNames(namesCohort(question.steps)) }
  const last = answer.steps.at(-1)!
  return (
    <>
      {last.from_first !== null && (
        <p className={styles.overall}>
          <span>{t('results.funnel.conversion')}</span>
          <strong>{percent(last.from_first, language)}</strong>
          {last.median_seconds !== null && (
            <span>
              {t('results.funnel.median', { time: elapsed(last.median_seconds, language) })}
            </span>
          )}
        </p>
      )}
      <ol className={styles.steps}>
        {answer.steps.map((step, index) => {
          const event = question.steps[index] ?? { events: [] }
          const filters = completeFilters(event.filters)
          return (
            <Step
              key={index}
              index={index}
              name={eventName(event, t)}
              where={filters && filtersText(filters, words)}
              whole={filters ? eventText(event, words) : eventName(event, t)}
              step={step}
              before={answer.steps[index - 1]}
              onPick={onPick}
            />
          )
        })}
      </ol>
    </>
  )
}

interface StepProps {
  index: number
  name: string
  /** The event's filters, in words. */
  where: string | undefined
  /** Both parts combined, for screen readers. */
  whole: string
  step: FunnelStep
  before: FunnelStep | undefined
  onPick: OnPick
}

function Step({ index, name, where, whole, step, before, onPick }: StepProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const pick = (dropped: boolean) =>
    onPick && (() => onPick({ of: 'funnel', step: index, dropped, group: null }))
  const share = step.from_first ?? 0
  const lost = before ? before.people - step.people : 0
  const lostShare = (before?.from_first ?? 0) - share
  return (
    <li className={styles.step}>
      <p className={styles.head}>
        <span className={styles.number} aria-hidden="true">
          {index + 1}
        </span>
        <span className={styles.name}>
          {name}
          {where && <span className={styles.where}>{where}</span>}
        </span>
        <span className={styles.people}>
          <Figure value={step.people} of={whole} onOpen={pick(false)}>
            <b>
              <Counted value={step.people} />
            </b>{' '}
            {t('results.peopleUnit')}
          </Figure>
        </span>
      </p>
      {/* The bars only repeat the text beside them, but a mouse can click them too. */}
      <div className={styles.track} aria-hidden="true">
        <div
          className={styles.bar}
          style={{ width: `${share * 100}%` }}
          data-leads={Boolean(onPick) && step.people > 0}
          onClick={step.people > 0 ? (pick(false) ?? undefined) : undefined}
        />
        {lostShare > 0 && (
          <div
            className={styles.gone}
            style={{ width: `${lostShare * 100}%` }}
            data-leads={Boolean(onPick)}
            onClick={pick(true) ?? undefined}
          />
        )}
      </div>
      <p className={styles.facts}>
        {step.from_first !== null && (
          <span>{t('results.funnel.ofFirst', { share: percent(step.from_first, language) })}</span>
        )}
        {before && step.from_previous !== null && (
          <span>
            {t('results.funnel.ofPrevious', { share: percent(step.from_previous, language) })}
          </span>
        )}
        {before && step.median_seconds !== null && (
          <span>
            {t('results.funnel.median', { time: elapsed(step.median_seconds, language) })}
          </span>
        )}
        {before && step.p90_seconds !== null && (
          <span>{t('results.funnel.p90', { time: elapsed(step.p90_seconds, language) })}</span>
        )}
        {lost > 0 && (
          <span className={styles.lost}>
            <Figure
              value={lost}
              of={t('results.funnel.droppedBefore', { name: whole })}
              onOpen={pick(true)}
            >
              {t('results.funnel.dropped', { count: lost })}
            </Figure>
          </span>
        )}
      </p>
    </li>
  )
}
