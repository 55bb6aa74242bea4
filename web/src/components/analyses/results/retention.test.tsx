import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { RetentionAnswer, RetentionQuestion } from '../../../api/analysisTypes'
import { showInApp, user } from '../../../testing/app'
import { anEngine, drawnSeries } from '../../../testing/chart'
import { ok } from '../../../testing/server'
import * as charts from '../../charts/loadEngine'
import { RetentionResult } from './index'

beforeEach(() => void vi.spyOn(charts, 'loadEngine').mockResolvedValue(anEngine()))

const DAY = 86_400_000
const FIRST = Date.parse('2026-03-01T00:00:00Z')

const question: RetentionQuestion = {
  kind: 'retention',
  start: '2026-03-01',
  end: '2026-03-02',
  timezone: 'UTC',
  first: { events: ['signup'] },
  returning: { events: [] },
  unit: 'day',
  units: 2,
}
const cohorts = [
  { start: FIRST, size: 200, returned: [200, 50, null] },
  { start: FIRST + DAY, size: 0, returned: [0, null, null] },
]
const answer: RetentionAnswer = {
  kind: 'retention',
  computed_at: '2026-11-01T00:00:00.000Z',
  rows_read: 0,
  cohorts,
  average: [1, 0.25, null],
  groups: [
    {
      values: ['iOS'],
      other: false,
      redacted: [false],
      cohorts: [{ start: FIRST, size: 10, returned: [10, 5, null] }],
      average: [1, 0.5, null],
    },
    { values: [null], other: false, redacted: [true], cohorts, average: [1, 0.2, null] },
  ],
}

function show(props: Partial<React.ComponentProps<typeof RetentionResult>> = {}) {
  const onPick = vi.fn()
  const all = { question, answer, onPick, ...props }
  const items = [{ id: 'c1', name: '付费用户' }]
  const answers = { '/apps/app-1/cohorts': ok({ items, total: 1 }) }
  showInApp(<RetentionResult {...all} />, { may: [], answers })
  return onPick
}
const rows = () =>
  within(screen.getByRole('table'))
    .getAllByRole('row')
    .map((row) => [...row.children].map(({ textContent }) => textContent))

it('shows shares by cohort, their average, and what is not over as such', () => {
  show()
  expect(rows()).toEqual([
    ['初始日期', '初始人数', '第 0 天', '第 1 天', '第 2 天'],
    ['加权平均', '200', '100%', '25%', '还未结束'],
    ['2026年3月1日周日', '200', '100%', '25%', '还未结束'],
    ['2026年3月2日周一', '0', '—', '还未结束', '还未结束'],
  ])
})

it('shows people instead of shares', async () => {
  show()
  await user.click(screen.getByRole('radio', { name: '人数' }))
  expect(rows()[2]).toEqual(['2026年3月1日周日', '200', '200', '50', '还未结束'])
})

it('leads from a cell to who came back, and from the size to all of the cohort', async () => {
  const onPick = show()
  await user.click(screen.getByRole('button', { name: /第 1 天”的 50 位用户/ }))
  const picked = { of: 'retention', cohort: FIRST, unit: 1, group: null }
  expect(onPick).toHaveBeenLastCalledWith(picked)
  await user.click(screen.getByRole('button', { name: /3月1日周日”的 200 位用户/ }))
  expect(onPick).toHaveBeenLastCalledWith({ ...picked, unit: null })
})

it('leads nowhere without permission', () => {
  show({ onPick: null })
  expect(screen.queryByRole('button')).toBeNull()
})

async function choose(group: string) {
  await user.click(screen.getByRole('combobox', { name: '分组' }))
  await user.click(screen.getByTitle(group))
}

it('shows the cohorts of one value, and their people', async () => {
  const onPick = show()
  await choose('iOS')
  expect(rows()[2]).toEqual(['2026年3月1日周日', '10', '100%', '50%', '还未结束'])
  await user.click(screen.getByRole('button', { name: /第 1 天”的 5 位用户/ }))
  const group = { values: ['iOS'], other: false, redacted: [false] }
  expect(onPick).toHaveBeenLastCalledWith({ of: 'retention', cohort: FIRST, unit: 1, group })
})

it('draws the average, and one line for each value', async () => {
  show()
  await user.click(screen.getByRole('radio', { name: '留存曲线' }))
  await waitFor(() => expect(drawnSeries().map(({ data }) => data)).toEqual([[1, 0.25, null]]))
  await user.click(screen.getByRole('radio', { name: '分组对比' }))
  await waitFor(() => expect(drawnSeries()).toHaveLength(2))
  expect(rows()[1]).toEqual(['iOS', '10', '100%', '50%', '还未结束'])
})

it('calls the groups of a cohort by its name, and picks them by the server’s', async () => {
  const [ios] = answer.groups
  const onPick = show({
    question: { ...question, breakdown: ['$cohort:c1'] },
    answer: {
      ...answer,
      groups: [
        { ...ios!, values: ['in'] },
        { ...ios!, values: ['out'] },
      ],
    },
  })
  await user.click(screen.getByRole('combobox', { name: '分组' }))
  await user.click(await screen.findByTitle('不在“付费用户”中'))
  await user.click(screen.getByRole('button', { name: /第 1 天”的 5 位用户/ }))
  const group = { values: ['out'], other: false, redacted: [false] }
  expect(onPick).toHaveBeenLastCalledWith({ of: 'retention', cohort: FIRST, unit: 1, group })
  await user.click(screen.getByRole('radio', { name: '分组对比' }))
  expect(rows().map(([name]) => name)).toEqual(['分组', '付费用户', '不在“付费用户”中'])
  expect(screen.getByRole('button', { name: '付费用户' })).toBeShown()
})

it('shows a long answer step by step', async () => {
  const many = Array.from({ length: 1000 }, (_, day) => ({
    start: FIRST + day * DAY,
    size: 1,
    returned: [1],
  }))
  show({ answer: { ...answer, cohorts: many, average: [1], groups: [] } })
  expect(screen.getAllByRole('row')).toHaveLength(102)
  expect(screen.getByText('还有 900 行')).toBeShown()
  await user.click(screen.getByRole('button', { name: '再显示 100 行' }))
  expect(screen.getAllByRole('row')).toHaveLength(202)
})

it('says so where nobody began', () => {
  show({ answer: { ...answer, cohorts: [], average: [], groups: [] } })
  expect(screen.getByText(/没有符合条件的数据/)).toBeShown()
})
