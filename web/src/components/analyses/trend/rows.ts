/** A trend's lines: its series, their groups, or a formula's result. */
import type {
  Before,
  GroupValues,
  Measure,
  Points,
  TrendAnswer,
  TrendQuestion,
} from '../../../api/analysisTypes'
import { isolated } from '../../../lib/bidi'
import { NEUTRAL } from '../../charts/colors'
import { partialIndex, type ChartSeries } from '../../charts/series'
import { groupKey, groupName } from '../results/words'
import { propertyName } from '../properties'
import { hasProperty, LETTERS, type Chart, type Course } from '../question'
import { eventText, type Words } from '../sentence'

export interface TrendRow extends Points {
  key: string
  name: string
  /** The index of the question's series; null for a formula. */
  series: number | null
  /** Null for a whole series. */
  group: GroupValues | null
  before: Before | null
}

function measureName(measure: Measure, { t, cohorts }: Words): string {
  const name = t(`analyses.measure.${measure.of}`)
  if (!hasProperty(measure)) return name
  return t('analyses.measureOfProperty', {
    measure: name,
    property: propertyName(measure.property, t, cohorts),
  })
}

type Made = NonNullable<TrendAnswer['formula']>
type Grouped = TrendAnswer['series'][number]['groups'][number]

export function rowsOf(question: TrendQuestion, answer: TrendAnswer, words: Words): TrendRow[] {
  const { breakdown, formula = '' } = question
  // A formula refers to its series by letter, even to a single one.
  const lettered = question.series.length > 1 || Boolean(answer.formula)
  const grouped = (groups: Grouped[], series: number | null, key: string, letter = '') =>
    groups.map((group, at): TrendRow => ({
      key: `${key} ${groupKey(group, at)}`,
      name: `${letter}${groupName(group, { ...words, breakdown })}`,
      series,
      group: { values: group.values, other: group.other, redacted: group.redacted },
      total: group.total,
      points: group.points,
      before: null,
    }))
  const made = ({ total, points, before, groups = [] }: Made): TrendRow[] => {
    const whole = { name: isolated(formula), series: null, group: null, total, points, before }
    return [{ key: 'formula', ...whole }, ...grouped(groups, null, 'formula')]
  }
  return [
    ...(answer.formula ? made(answer.formula) : []),
    ...answer.series.flatMap((one, index): TrendRow[] => {
      const asked = question.series[index]
      if (!asked) return []
      const letter = lettered ? `${LETTERS[index]} ` : ''
      const name = `${letter}${eventText(asked, words)} · ${measureName(asked.measure, words)}`
      const { total, points, before, groups } = one
      const whole = { key: `${index}`, name, series: index, group: null, total, points, before }
      return [whole, ...grouped(groups, index, `${index}`, letter)]
    }),
  ]
}

/** More lines than this can't be told apart. */
export const MOST_DRAWN = 12

/** What is drawn: the formula instead of its series, groups instead of their total. */
export function drawnRows(rows: TrendRow[]): TrendRow[] {
  const made = rows.filter(({ series }) => series === null)
  const whole = made.length > 0 ? made : rows
  const groups = whole.filter(({ group }) => group !== null)
  return groups.length > 0 ? groups : whole
}

/** Someone can be in two groups or two buckets: only events and sums over them add up. */
export function addsUp({ series, formula }: Pick<TrendQuestion, 'series' | 'formula'>): boolean {
  return !formula && series.every(({ measure }) => ['events', 'sum'].includes(measure.of))
}

export function chartsFor(question: TrendQuestion): Chart[] {
  const parts = Boolean(question.breakdown?.length) || question.series.length > 1
  return parts && addsUp(question)
    ? ['line', 'bar', 'stacked', 'share', 'number', 'table']
    : ['line', 'bar', 'number', 'table']
}

export const coursesFor = (question: TrendQuestion): Course[] =>
  addsUp(question) ? ['each', 'cumulative', 'average'] : ['each', 'average']

const AVERAGED = 7

/** Never averages an unfinished bucket with finished ones. */
export function coursed(
  points: (number | null)[],
  course: Course,
  unfinished: number,
): (number | null)[] {
  if (course === 'cumulative') {
    let sum = 0
    return points.map((point) => (point === null ? null : (sum += point)))
  }
  if (course === 'each') return points
  return points.map((_, at) => {
    if (unfinished >= 0 && at >= unfinished) return null
    const last = points.slice(Math.max(0, at + 1 - AVERAGED), at + 1).filter((one) => one !== null)
    return last.length > 0 ? last.reduce((sum, one) => sum + one, 0) / last.length : null
  })
}

/** The chart's lines, each followed by its comparison. */
export function chartSeries(
  rows: TrendRow[],
  answer: TrendAnswer,
  course: Course,
  comparedName: string,
): ChartSeries[] {
  const unfinished = partialIndex(answer)
  const alone = rows.length === 1
  return rows.flatMap(({ key, name, points, group, before }, index): ChartSeries[] => {
    const color = group?.other ? NEUTRAL : index
    const now = { key, name, values: coursed(points, course, unfinished), color }
    if (!before) return [now]
    return [
      now,
      {
        key: `${key} before`,
        name: alone ? comparedName : `${name} · ${comparedName}`,
        values: coursed(before.points, course, -1),
        dashed: true,
        color: alone ? NEUTRAL : color,
      },
    ]
  })
}

/** Each value as its share of the total at that time. */
export function shares(series: ChartSeries[]): ChartSeries[] {
  return series.map((one) => ({
    ...one,
    values: one.values.map((value, at) => {
      const whole = series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)
      return value === null || whole === 0 ? null : value / whole
    }),
  }))
}

/**
 * Compared with the same elapsed part of the previous period; null if that had nothing or it is too
 * early.
 */
export function changeOf(before: Before | null): number | null {
  if (!before?.total || before.comparable === null) return null
  return (before.comparable - before.total) / before.total
}
