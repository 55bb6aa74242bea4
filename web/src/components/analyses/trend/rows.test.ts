import { describe, expect, it } from 'vitest'
import type { TrendAnswer, TrendQuestion } from '../../../api/analysisTypes'
import { t } from '../../../i18n/store'
import { NEUTRAL } from '../../charts/colors'
import {
  addsUp,
  changeOf,
  chartSeries,
  chartsFor,
  coursed,
  coursesFor,
  drawnRows,
  rowsOf,
  shares,
} from './rows'

const words = { t, language: 'zh-CN', cohorts: () => undefined }
const days = { start: '2026-11-01', end: '2026-11-02' }
const question: TrendQuestion = {
  kind: 'trend',
  series: [{ events: ['order'], measure: { of: 'events' } }],
  ...days,
}
const answer: TrendAnswer = {
  kind: 'trend',
  times: [1, 2],
  partial: 2,
  series: [{ total: 12, points: [5, 7], groups: [], before: null }],
  formula: null,
  compared: null,
  computed_at: '2026-11-01T00:00:00.000Z',
  rows_read: 0,
}
const group = (value: string | null, points: number[], other = false, redacted = false) => ({
  values: [value],
  other,
  redacted: [redacted],
  total: points.reduce((sum, point) => sum + point, 0),
  points,
})
const grouped: TrendAnswer = {
  ...answer,
  series: [
    {
      ...answer.series[0]!,
      groups: [
        group('Windows', [3, 5]),
        group(null, [1, 1]),
        group(null, [1, 0], false, true),
        group(null, [0, 1], true),
      ],
    },
  ],
}

describe('the lines of a trend', () => {
  it('are its series', () => {
    const rows = rowsOf(question, answer, words)
    expect(rows.map(({ name, total }) => [name, total])).toEqual([['order · 次数', 12]])
  })

  it('are their groups, of which some have no name of their own', () => {
    const rows = rowsOf({ ...question, breakdown: ['$os'] }, grouped, words)
    expect(drawnRows(rows).map(({ name, points }) => [name, ...points])).toEqual([
      ['Windows', 3, 5],
      ['未设置', 1, 1],
      ['已隐藏', 1, 0],
      ['其他', 0, 1],
    ])
    expect(new Set(rows.map(({ key }) => key)).size).toBe(5)
    const series = chartSeries(drawnRows(rows), grouped, 'each', '')
    expect(series.map(({ color }) => color)).toEqual([0, 1, 2, NEUTRAL])
  })

  it('are called after the cohort that they are in, or not in', () => {
    const cohorts = (id: string) => (id === 'c1' ? '付费用户' : undefined)
    const names = (breakdown: string[], ...values: (string | null)[][]) => {
      const groups = values.map((one) => ({ ...group(null, [1, 0]), values: one }))
      const found = { ...answer, series: [{ ...answer.series[0]!, groups }] }
      const rows = rowsOf({ ...question, breakdown }, found, { ...words, cohorts })
      return chartSeries(drawnRows(rows), found, 'each', '').map(({ name }) => name)
    }
    expect(names(['$cohort:c1'], ['in'], ['out'])).toEqual(['付费用户', '不在“付费用户”中'])
    expect(names(['$cohort:gone'], ['in'], ['out'])).toEqual(['未知分群', '不在“未知分群”中'])
    // As property values, the same words are just words.
    expect(names(['$user:status', '$cohort:c1'], ['in', 'out'], [null, 'in'])).toEqual([
      'in · 不在“付费用户”中',
      '未设置 · 付费用户',
    ])
  })

  it('do not say who is in a cohort where that is hidden', () => {
    const hidden = {
      ...grouped,
      series: [{ ...grouped.series[0]!, groups: [group('in', [1, 0], false, true)] }],
    }
    const rows = rowsOf({ ...question, breakdown: ['$cohort:c1'] }, hidden, words)
    expect(drawnRows(rows).map(({ name }) => name)).toEqual(['已隐藏'])
  })

  it('are what a formula makes of them, with the series beside it', () => {
    const two: TrendQuestion = {
      ...question,
      series: [question.series[0]!, { events: [], measure: { of: 'sum', property: 'amount' } }],
      formula: 'A / B',
    }
    const made: TrendAnswer = {
      ...answer,
      series: [answer.series[0]!, answer.series[0]!],
      formula: { total: 1, points: [1, null], before: null },
    }
    const rows = rowsOf(two, made, words)
    expect(rows.map(({ name }) => name)).toEqual([
      'A / B',
      'A order · 次数',
      'B 任意事件 · amount 总和',
    ])
    expect(drawnRows(rows).map(({ name }) => name)).toEqual(['A / B'])
  })

  it('are the groups of a formula, where it has any', () => {
    const made: TrendAnswer = {
      ...grouped,
      formula: {
        total: 24,
        points: [10, 14],
        groups: [group('Windows', [6, 10]), group(null, [2, 2], true)],
        before: null,
      },
    }
    const rows = rowsOf({ ...question, formula: 'A * 2', breakdown: ['$os'] }, made, words)
    expect(rows.map(({ name, series, total }) => [name, series, total])).toEqual([
      ['A * 2', null, 24],
      ['Windows', null, 16],
      ['其他', null, 4],
      ['A order · 次数', 0, 12],
      ['A Windows', 0, 8],
      ['A 未设置', 0, 2],
      ['A 已隐藏', 0, 1],
      ['A 其他', 0, 1],
    ])
    expect(new Set(rows.map(({ key }) => key)).size).toBe(8)
    const series = chartSeries(drawnRows(rows), made, 'each', '')
    expect(series.map(({ name, color }) => [name, color])).toEqual([
      ['Windows', 0],
      ['其他', NEUTRAL],
    ])
  })

  it('have what each is compared with behind them, dashed', () => {
    const before = { total: 10, points: [4, 6], comparable: 12 }
    const compared = { ...answer, series: [{ ...answer.series[0]!, before }] }
    const series = chartSeries(rowsOf(question, compared, words), compared, 'each', '对比期')
    expect(series).toMatchObject([
      { name: 'order · 次数', values: [5, 7] },
      { name: '对比期', values: [4, 6], dashed: true, color: NEUTRAL },
    ])
  })
})

describe('a course', () => {
  it('adds up, as far as the time has come', () => {
    expect(coursed([1, 2, 3, null], 'cumulative', 2)).toEqual([1, 3, 6, null])
  })

  it('is the mean of seven points, without one that is not over', () => {
    const points = [7, 14, 21, 28, 35, 42, 49, 56, 1]
    expect(coursed(points, 'average', 8)).toEqual([7, 10.5, 14, 17.5, 21, 24.5, 28, 35, null])
    expect(coursed([null, 4], 'average', -1)).toEqual([null, 4])
  })
})

describe('parts of a whole', () => {
  it('are events and sums, never people', () => {
    const of = (measure: TrendQuestion['series'][number]['measure']): TrendQuestion => ({
      ...question,
      series: [{ events: [], measure }],
      breakdown: ['$os'],
    })
    expect(chartsFor(of({ of: 'sum', property: 'amount' }))).toContain('share')
    expect(chartsFor(of({ of: 'people' }))).not.toContain('stacked')
    expect(coursesFor(of({ of: 'people' }))).not.toContain('cumulative')
    expect(chartsFor(question)).not.toContain('share')
    expect(addsUp({ ...question, formula: 'A * 2' })).toBe(false)
  })

  it('add up to one at each time', () => {
    const series = [
      { key: 'a', name: 'a', values: [1, 0, null] },
      { key: 'b', name: 'b', values: [3, 0, null] },
    ]
    expect(shares(series).map(({ values }) => values)).toEqual([
      [0.25, null, null],
      [0.75, null, null],
    ])
  })
})

describe('a change', () => {
  it('is of the same elapsed part', () => {
    expect(changeOf({ total: 10, points: [], comparable: 12 })).toBeCloseTo(0.2)
  })

  it('is none where there was nothing, or nothing can be said yet', () => {
    expect(changeOf(null)).toBeNull()
    expect(changeOf({ total: 0, points: [], comparable: 3 })).toBeNull()
    expect(changeOf({ total: null, points: [], comparable: 3 })).toBeNull()
    expect(changeOf({ total: 3, points: [], comparable: null })).toBeNull()
  })
})
