import type { FunnelAnswer, FunnelQuestion, FunnelStep } from '../../../api/analysisTypes'
import { percent } from '../../charts/format'
import type { Column } from '../../table/columns'
import { UNKNOWN } from '../../table/Counted'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { Figure } from './Figure'
import { FigureTable } from './FigureTable'
import { Plot } from './Plot'
import type { PlotData } from './plotOption'
import { pickedGroup, type OnPick } from './result'
import { useGroupName } from './useGroupName'
import { elapsed, eventName, groupKey } from './words'
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
  const rows = groups.map((group, place) => ({ group, place, name: nameOf(group) }))
  const opener = (place: number, step: number, dropped = false) => {
    const group = pickedGroup(groups[place]!)
    return onPick && (() => onPick({ of: 'funnel', step, dropped, group }))
  }
  const columns: Column<(typeof rows)[number]>[] = [
    {
      key: 'group',
      title: t('results.value'),
      heads: true,
      render: ({ group, name }) => (
        <span className={group.other ? styles.soft : undefined}>{name}</span>
      ),
    },
    ...question.steps.map((step, index) => ({
      key: `step ${index}`,
      title: t('results.funnel.step', { number: index + 1, name: eventName(step, t) }),
      numeric: true,
      render: ({ group, place, name }: (typeof rows)[number]) => (
        <>
          <Figure value={group.steps[index]!.people} of={name} onOpen={opener(place, index)} />
          {index > 0 && (
            <FromPrevious
              step={group.steps[index]!}
              before={group.steps[index - 1]!}
              group={name}
              event={eventName(step, t)}
              onOpen={opener(place, index, true)}
            />
          )}
        </>
      ),
    })),
    {
      key: 'conversion',
      title: t('results.funnel.conversion'),
      numeric: true,
      render: ({ group: { steps } }) => {
        const share = steps.at(-1)?.from_first
        return share == null ? UNKNOWN : percent(share, language)
      },
    },
    {
      key: 'time',
      title: t('results.funnel.medianTime'),
      numeric: true,
      render: ({ group: { steps } }) => {
        const seconds = steps.at(-1)?.median_seconds
        return seconds == null ? UNKNOWN : elapsed(seconds, language)
      },
    },
  ]
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
      <FigureTable
        label={t('results.funnel.view.groups')}
        rows={rows}
        columns={columns}
        rowKey={({ group, place }) => groupKey(group, place)}
      />
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
      {step.from_previous !== null && (
        <small className={styles.aside}>{percent(step.from_previous, language)}</small>
      )}
      {lost > 0 && (
        <small className={styles.aside}>
          <Figure value={lost} of={`${group} · ${dropped}`} onOpen={onOpen}>
            {t('results.funnel.dropped', { count: lost })}
          </Figure>
        </small>
      )}
    </>
  )
}
