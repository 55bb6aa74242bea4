/** Describes the picked figure in words. */
import type { Pick, Question } from '../../../api/analysisTypes'
import { bucketLabel } from '../../charts/format'
import { exactTime } from '../../../lib/time'
import type { Words } from '../sentence'
import { binName } from './bins'
import { unitName } from './retention'
import { eventName, groupName, nodeName } from './words'

interface Tongue extends Words {
  timezone: string
}

/** Empty if the question and the pick are of different kinds. */
export function pickWords(question: Question, pick: Pick, tongue: Tongue): string {
  const { t, cohorts } = tongue
  const parts = partsOf(question, pick, tongue)
  if ('group' in pick && pick.group) {
    const breakdown = 'breakdown' in question ? question.breakdown : undefined
    parts.push(groupName(pick.group, { t, cohorts, breakdown }))
  }
  return parts.join(' · ')
}

function partsOf(question: Question, pick: Pick, tongue: Tongue): string[] {
  const { t, language, timezone } = tongue
  if (pick.of === 'trend' && question.kind === 'trend') {
    const name = eventName(question.series[pick.series] ?? { events: [] }, t)
    if (pick.time === null) return [name]
    const { granularity = 'day' } = question
    if (granularity === 'minute') return [name, exactTime(pick.time, language, timezone)]
    return [name, bucketLabel(pick.time, { granularity, timezone, language })]
  }
  if (pick.of === 'funnel' && question.kind === 'funnel') {
    const name = eventName(question.steps[pick.step] ?? { events: [] }, t)
    const step = t('results.funnel.step', { number: pick.step + 1, name })
    const parts = [step, t(pick.dropped ? 'results.picked.dropped' : 'results.picked.reached')]
    if (pick.time === undefined) return parts
    const { granularity = 'day' } = question
    const began = bucketLabel(pick.time, { granularity, timezone, language })
    return [t('results.picked.startedIn', { time: began }), ...parts]
  }
  if (pick.of === 'retention' && question.kind === 'retention') {
    const { unit } = question
    const began = bucketLabel(pick.cohort, { granularity: unit, timezone, language })
    const cohort = t('results.picked.began', { time: began })
    if (pick.unit === null) return [cohort]
    return [cohort, t('results.picked.returned', { unit: unitName(unit, pick.unit, t) })]
  }
  if (pick.of === 'paths') {
    const target = nodeName(pick.target, t)
    const way = pick.source === null ? target : `${nodeName(pick.source, t)} → ${target}`
    return pick.step === 0 ? [way] : [t('results.picked.step', { number: pick.step }), way]
  }
  if (pick.of === 'lifecycle' && question.kind === 'lifecycle') {
    const granularity = question.granularity ?? 'day'
    const time = bucketLabel(pick.time, { granularity, timezone, language })
    return [time, t(`results.lifecycle.${pick.state}`)]
  }
  if (pick.of === 'distribution' && question.kind === 'distribution') {
    return [eventName(question.event, t), binWords(question, pick.bin, tongue)]
  }
  return []
}

type Distribution = Extract<Question, { kind: 'distribution' }>

/** Bins chosen by the server are known only by their position. */
function binWords({ of, edges }: Distribution, bin: number, { t, language }: Tongue): string {
  const from = edges?.[bin]
  if (from === undefined) return t('results.picked.bin', { number: bin + 1 })
  return binName({ from, to: edges?.[bin + 1] ?? null }, of, language)
}
