import { useMemo } from 'react'
import type { FunnelAnswer, FunnelQuestion, FunnelStep } from '../../../api/analysisTypes'
import { NEUTRAL } from '../../charts/colors'
import { axisLabel, bucketLabel, compactCount, percent, plainCount } from '../../charts/format'
import { useLanguageStore, type Translate } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import type { PlotData } from './plotOption'
import { useZone } from './result'
import { useGroupName } from './useGroupName'
import { elapsed, eventName, groupKey } from './words'

/**
 * Each view of a funnel as a plot; the steps only for exported pictures, because the page has its
 * own bars.
 */
export function useFunnelPlots(question: FunnelQuestion, answer: FunnelAnswer) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const timezone = useZone(question)
  const nameOf = useGroupName(question)
  return useMemo(() => {
    const style = { granularity: question.granularity ?? 'day', timezone, language } as const
    const steps = question.steps.map((step, index) => stepName(index, eventName(step, t), t))
    const people = {
      format: (value: number) => plainCount(value, language),
      axis: (value: number) => compactCount(value, language),
    }
    const share = {
      format: (value: number) => percent(value, language),
      axis: (value: number) => percent(value, language),
    }
    const { groups, over_time, spread } = answer
    const plots: Record<'steps' | 'groups' | 'course' | 'spread', PlotData> = {
      steps: {
        shape: 'bars',
        // In a picture, nothing else shows the counts.
        ticks: steps.map((name, index) => withCount(name, answer.steps[index], language)),
        labels: steps,
        series: [
          { key: 'people', name: t('results.people'), values: answer.steps.map((s) => s.people) },
        ],
        unit: t('results.people'),
        ...people,
      },
      groups: {
        shape: 'bars',
        ticks: steps,
        labels: steps,
        series: groups.map((group, index) => ({
          key: groupKey(group, index),
          name: nameOf(group),
          values: group.steps.map(({ from_first }) => from_first),
          ...(group.other && { color: NEUTRAL }),
        })),
        most: 1,
        ...share,
      },
      course: {
        shape: 'line',
        ticks: over_time.map(({ time }) => axisLabel(time, style)),
        labels: over_time.map(({ time }) => bucketLabel(time, style)),
        series: [
          {
            key: 'conversion',
            name: t('results.funnel.conversion'),
            values: over_time.map(({ began, converted }) =>
              began === 0 ? null : converted / began,
            ),
          },
        ],
        unfinished: over_time.map(({ complete }) => !complete),
        ...share,
      },
      spread: {
        shape: 'bars',
        ticks: spread.map(({ from_seconds }) => elapsed(from_seconds, language)),
        labels: spread.map((bin) => spanText(bin, language)),
        series: [
          { key: 'people', name: t('results.people'), values: spread.map((bin) => bin.people) },
        ],
        unit: t('results.people'),
        ...people,
      },
    }
    return plots
  }, [question, answer, timezone, language, nameOf, t])
}

const stepName = (index: number, name: string, t: Translate) =>
  t('results.funnel.step', { number: index + 1, name })

function withCount(name: string, step: FunnelStep | undefined, language: string): string {
  if (!step) return name
  const share = step.from_first === null ? '' : ` · ${percent(step.from_first, language)}`
  return `${name}\n${plainCount(step.people, language)}${share}`
}

const spanText = ({ from_seconds, to_seconds }: FunnelAnswer['spread'][number], language: string) =>
  `${elapsed(from_seconds, language)} – ${elapsed(to_seconds, language)}`
