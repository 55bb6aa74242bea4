import { Button } from 'antd'
import type {
  Answer,
  GroupValues,
  PathNode,
  Pick,
  Question,
  Test,
} from '../../../api/analysisTypes'
import { isCohort } from '../../../components/analyses/filters'
import {
  completeBreakdown,
  without,
  type Draft,
  type PathsDraft,
  type TrendDraft,
} from '../../../components/analyses/question'
import {
  DistributionResult,
  FunnelResult,
  LifecycleResult,
  PathsResult,
  RetentionResult,
} from '../../../components/analyses/results'
import { IN_COHORT } from '../../../components/analyses/results/words'
import type { Words } from '../../../components/analyses/sentence'
import { TrendResult } from '../../../components/analyses/trend/TrendResult'
import type { ChartHandle } from '../../../components/charts/LineChart'
import type { RangeParams } from '../../../components/range/useRangeParams'
import { useT } from '../../../i18n/useT'
import styles from './analyses.module.css'

interface ResultProps {
  question: Question
  answer: Answer
  draft: Draft
  title: string
  words: Words
  time: RangeParams
  onPick: ((pick: Pick) => void) | null
  onChange: (draft: Draft) => void
  ref: React.Ref<ChartHandle>
}

export function Result(props: ResultProps) {
  const { question, answer, draft, onChange, onPick, ref } = props
  const shared = { onPick, ref }
  if (question.kind === 'trend' && answer.kind === 'trend' && draft.kind === 'trend') {
    return (
      <TrendResult
        {...shared}
        question={question}
        answer={answer}
        title={props.title}
        words={props.words}
        chart={draft.chart ?? 'line'}
        course={draft.course ?? 'each'}
        onShow={(shown) => onChange({ ...draft, ...shown })}
        onGroup={(group) => onChange(narrowed(draft, group))}
        empty={<NothingFound draft={draft} time={props.time} onChange={onChange} />}
      />
    )
  }
  if (question.kind === 'funnel' && answer.kind === 'funnel') {
    return <FunnelResult {...shared} question={question} answer={answer} />
  }
  if (question.kind === 'retention' && answer.kind === 'retention') {
    return <RetentionResult {...shared} question={question} answer={answer} />
  }
  if (question.kind === 'paths' && answer.kind === 'paths' && draft.kind === 'paths') {
    const start = (node: PathNode) => onChange(startedAt(draft, node))
    return <PathsResult {...shared} question={question} answer={answer} onStart={start} />
  }
  if (question.kind === 'distribution' && answer.kind === 'distribution') {
    return <DistributionResult {...shared} question={question} answer={answer} />
  }
  if (question.kind === 'lifecycle' && answer.kind === 'lifecycle') {
    return <LifecycleResult {...shared} question={question} answer={answer} />
  }
  return null
}

/** The same question about one group's events only. */
export function narrowed(draft: TrendDraft, { values }: GroupValues): TrendDraft {
  const { breakdown, filters } = draft
  const tests = completeBreakdown(breakdown).map((property, index): Test => {
    const value = values[index]
    if (isCohort(property)) {
      return { property, operator: value === IN_COHORT ? 'is' : 'is_not', values: [] }
    }
    return value == null
      ? { property, operator: 'not_set', values: [] }
      : { property, operator: 'is', values: [value] }
  })
  // Added to the existing filters; an "any" group becomes one of the conditions.
  const before = filters ? ('all' in filters ? filters.all : [filters]) : []
  return { ...without(draft, 'breakdown'), filters: { all: [...before, ...tests] } }
}

/** Makes a node the common end of the paths. */
export function startedAt(draft: PathsDraft, { name, page }: PathNode): PathsDraft {
  const filters: Test[] =
    page === null ? [] : [{ property: '$url_path', operator: 'is', values: [page] }]
  const choice = {
    events: name === null ? [] : [name],
    ...(filters.length > 0 && { filters: { all: filters } }),
  }
  return { ...draft, [draft.to ? 'to' : 'from']: choice }
}

interface EmptyProps {
  draft: TrendDraft
  time: RangeParams
  onChange: (draft: Draft) => void
}

/** Shown if nothing was found: suggests what to change. */
function NothingFound({ draft, time, onChange }: EmptyProps) {
  const t = useT()
  return (
    <div className={styles.nothing}>
      <p>{t('analyses.nothing')}</p>
      <div className={styles.ways}>
        {time.preset !== '90d' && (
          <Button onClick={() => time.setRange('90d')}>{t('range.preset.90d')}</Button>
        )}
        {draft.filters && (
          <Button onClick={() => onChange(without(draft, 'filters'))}>{t('table.clear')}</Button>
        )}
      </div>
    </div>
  )
}
