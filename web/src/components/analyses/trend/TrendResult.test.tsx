import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Pick, TrendAnswer, TrendQuestion } from '../../../api/analysisTypes'
import { t } from '../../../i18n/store'
import { showInApp, user } from '../../../testing/app'
import { listLines } from '../../../testing/lines'
import { TrendResult } from './TrendResult'

// Drawing is tested with the chart; here, only which lines it gets.
beforeEach(listLines)

const DAY = 86_400_000
const START = Date.parse('2026-11-01T00:00:00+08:00')
const question: TrendQuestion = {
  kind: 'trend',
  series: [{ events: ['order'], measure: { of: 'events' } }],
  granularity: 'day',
  start: '2026-11-01',
  end: '2026-11-03',
}
const answer: TrendAnswer = {
  kind: 'trend',
  times: [START, START + DAY, START + 2 * DAY],
  partial: START + DAY,
  series: [
    {
      total: 12,
      points: [5, 7, null],
      groups: [],
      before: { total: 10, points: [4, 6, null], comparable: 12 },
    },
  ],
  formula: null,
  compared: { start: '2026-10-29', end: '2026-10-31' },
  computed_at: '2026-11-01T00:00:00.000Z',
  rows_read: 12,
}

function show(shown: Partial<React.ComponentProps<typeof TrendResult>> = {}) {
  const picks: Pick[] = []
  const onGroup = vi.fn()
  const onShow = vi.fn()
  showInApp(
    <TrendResult
      question={question}
      answer={answer}
      title="order 的次数"
      words={{ t, language: 'zh-CN', cohorts: () => undefined }}
      chart="line"
      course="each"
      onShow={onShow}
      onPick={(pick) => picks.push(pick)}
      onGroup={onGroup}
      empty={<p>nothing</p>}
      {...shown}
    />,
    { may: ['app:view', 'query:run'], answers: {} },
  )
  return { picks, onGroup, onShow }
}

describe('the answer to a trend', () => {
  it('is drawn with what it is compared with, and its change is of the same elapsed part', () => {
    show()
    const lines = within(screen.getByRole('list', { name: 'order 的次数' })).getAllByRole(
      'listitem',
    )
    expect(lines.map((line) => line.textContent)).toEqual([
      'order · 次数: 5 7 ',
      '对比期 2026/10/29 – 2026/10/31: 4 6 ',
    ])
    const row = screen.getByRole('row', { name: /^order/ })
    expect(row.textContent).toContain('20%')
  })

  it('leads from a point, a total and a cell to the people behind it', async () => {
    const { picks } = show()
    await user.click(screen.getByRole('list', { name: 'order 的次数' }))
    await user.click(screen.getByRole('button', { name: /^查看“order · 次数”/ }))
    expect(picks).toEqual([
      { of: 'trend', series: 0, time: START + DAY, group: null },
      { of: 'trend', series: 0, time: null, group: null },
    ])
  })

  it('is a table of all numbers, without what lies ahead', async () => {
    const { picks } = show({ chart: 'table' })
    const table = within(screen.getByRole('table', { name: '表格' }))
    expect(table.getAllByRole('row').map((row) => row.textContent)).toEqual([
      '时间order · 次数',
      '合计12',
      '2026年11月2日周一 · 截至目前7',
      '2026年11月1日周日5',
    ])
    await user.click(table.getByRole('button', { name: /11月1日/ }))
    expect(picks).toEqual([{ of: 'trend', series: 0, time: START, group: null }])
  })

  it('is a number that says that it is so far', () => {
    show({ chart: 'number' })
    const number = screen.getAllByRole('listitem')[0]!
    expect(number.textContent).toMatch(/^order · 次数12截至目前.*20%对比期 10/)
  })

  it('is no picture where nothing was found', () => {
    const none = { ...answer.series[0]!, total: 0, points: [0, 0, null], before: null }
    show({ answer: { ...answer, series: [none] } })
    expect(screen.getByText('nothing')).toBeShown()
  })

  it('has people behind nothing for those who may not see them', () => {
    show({ onPick: null })
    expect(screen.queryByRole('button', { name: /^查看/ })).toBeNull()
  })

  it('calls the groups of a cohort by its name, and asks for their people by the server’s', async () => {
    const member = (value: string) => ({
      values: [value],
      other: false,
      redacted: [false],
      total: 6,
      points: [3, 3, null],
    })
    const groups = [member('in'), member('out')]
    const { picks, onGroup } = show({
      question: { ...question, breakdown: ['$cohort:c1'] },
      answer: { ...answer, series: [{ ...answer.series[0]!, before: null, groups }] },
      words: { t, language: 'zh-CN', cohorts: () => '付费用户' },
    })
    const lines = within(screen.getByRole('list', { name: 'order 的次数' })).getAllByRole(
      'listitem',
    )
    expect(lines.map((line) => line.textContent)).toEqual([
      '付费用户: 3 3 ',
      '不在“付费用户”中: 3 3 ',
    ])
    const table = within(screen.getByRole('table', { name: '各组数据' }))
    expect(table.getByRole('columnheader', { name: '付费用户' })).toBeShown()
    await user.click(table.getByRole('button', { name: /^查看“不在“付费用户”中”/ }))
    const group = { values: ['out'], other: false, redacted: [false] }
    expect(picks).toEqual([{ of: 'trend', series: 0, time: null, group }])
    await user.click(table.getByRole('button', { name: '付费用户' }))
    expect(onGroup).toHaveBeenCalledWith({ ...group, values: ['in'] })
  })

  it('leads into the groups of a formula, which nobody can be told from', async () => {
    const made = {
      values: ['iOS'],
      other: false,
      redacted: [false],
      total: 24,
      points: [10, 14, null],
    }
    const { onGroup } = show({
      question: { ...question, formula: 'A * 2', breakdown: ['$os'] },
      answer: {
        ...answer,
        formula: { total: 30, points: [13, 17, null], groups: [made], before: null },
      },
    })
    const row = screen.getByRole('row', { name: /^iOS/ })
    expect(row.textContent).toContain('24')
    expect(within(row).queryByRole('button', { name: /^查看/ })).toBeNull()
    await user.click(within(row).getByRole('button', { name: 'iOS' }))
    expect(onGroup).toHaveBeenCalledWith({ values: ['iOS'], other: false, redacted: [false] })
  })

  it('leads into a group that has a name', async () => {
    const values = (value: string | null, other = false) => ({
      values: [value],
      other,
      redacted: [false],
      total: 6,
      points: [3, 3, null],
    })
    const { onGroup, onShow } = show({
      question: { ...question, breakdown: ['$os'] },
      answer: {
        ...answer,
        series: [
          { ...answer.series[0]!, before: null, groups: [values('iOS'), values(null, true)] },
        ],
      },
    })
    const table = within(screen.getByRole('table', { name: '各组数据' }))
    expect(table.getAllByText('50%')).toHaveLength(2)
    expect(table.queryByRole('button', { name: '其他' })).toBeNull()
    await user.click(table.getByRole('button', { name: 'iOS' }))
    expect(onGroup).toHaveBeenCalledWith({ values: ['iOS'], other: false, redacted: [false] })
    await user.click(screen.getByRole('radio', { name: '占比' }))
    expect(onShow).toHaveBeenCalledWith({ chart: 'share', course: 'each' })
  })
})
