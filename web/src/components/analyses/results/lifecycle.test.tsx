import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { LifecycleAnswer, LifecycleQuestion } from '../../../api/analysisTypes'
import { showInApp, user } from '../../../testing/app'
import { anEngine, clickDrawn, drawnSeries } from '../../../testing/chart'
import * as charts from '../../charts/loadEngine'
import { LifecycleResult } from './index'

beforeEach(() => void vi.spyOn(charts, 'loadEngine').mockResolvedValue(anEngine()))

const DAY = 86_400_000
const FIRST = Date.parse('2026-03-01T00:00:00Z')

const question: LifecycleQuestion = {
  kind: 'lifecycle',
  start: '2026-03-01',
  end: '2026-03-02',
  timezone: 'UTC',
}
const answer: LifecycleAnswer = {
  kind: 'lifecycle',
  computed_at: '2026-11-01T00:00:00.000Z',
  rows_read: 0,
  partial: FIRST + DAY,
  points: [
    { time: FIRST, new: 1200, returning: 80, resurrected: 7, dormant: 30 },
    { time: FIRST + DAY, new: 5, returning: 4, resurrected: 0, dormant: 9 },
  ],
}

function show(props: Partial<React.ComponentProps<typeof LifecycleResult>> = {}) {
  const onPick = vi.fn()
  const all = { question, answer, onPick, ...props }
  showInApp(<LifecycleResult {...all} />, { may: [], answers: {} })
  return onPick
}

it('stacks those who are there, and hangs those who went below', async () => {
  show()
  await waitFor(() => expect(drawnSeries()).toHaveLength(4))
  expect(drawnSeries().map(({ id, stack, data }) => [id, stack, data[0]])).toEqual([
    ['new', 'all', 1200],
    ['returning', 'all', 80],
    ['resurrected', 'all', 7],
    ['dormant', 'all', -30],
  ])
  // Unfinished periods look different.
  expect(drawnSeries()[0]!.data[1]).toMatchObject({ value: 5, itemStyle: { borderType: 'dashed' } })
  expect(screen.getByText(/尚未结束/)).toBeShown()
})

it('has all numbers in a table, the newest first, and says which is not over', () => {
  show()
  const rows = screen.getAllByRole('row').map(({ textContent }) => textContent)
  expect(rows).toEqual([
    '时间新增活跃回流沉默',
    '2026年3月2日周一截至目前5409',
    '2026年3月1日周日1,20080730',
  ])
})

it('says nothing of who went while there is time to come back', async () => {
  const [first, last] = answer.points
  show({ answer: { ...answer, points: [first!, { ...last!, dormant: null }] } })
  const row = screen.getAllByRole('row')[1]!
  expect(row.textContent).toBe('2026年3月2日周一截至目前540—')
  await waitFor(() => expect(drawnSeries()).toHaveLength(4))
  expect(drawnSeries()[3]!.data[1]).toMatchObject({ value: null })
})

it('leads from each number and each bar to its people', async () => {
  const onPick = show()
  const rows = screen.getAllByRole('row')
  await user.click(within(rows[2]!).getAllByRole('button')[3]!)
  const picked = { of: 'lifecycle', time: FIRST, state: 'dormant' }
  expect(onPick).toHaveBeenLastCalledWith(picked)
  await waitFor(() => expect(clickDrawn({ dataIndex: 0, seriesId: 'new' })).toBe(true))
  expect(onPick).toHaveBeenLastCalledWith({ ...picked, state: 'new' })
})

it('leads nowhere without permission', async () => {
  show({ onPick: null })
  await waitFor(() => expect(drawnSeries()).toHaveLength(4))
  expect(within(screen.getByRole('table')).queryByRole('button')).toBeNull()
  expect(clickDrawn({ dataIndex: 0, seriesId: 'new' })).toBe(false)
})

it('shows a thousand days step by step', () => {
  const points = Array.from({ length: 1000 }, (_, day) => ({
    ...answer.points[0]!,
    time: FIRST + day * DAY,
  }))
  show({ answer: { ...answer, points, partial: null } })
  expect(screen.getAllByRole('row')).toHaveLength(101)
  expect(screen.getByText('还有 900 行')).toBeShown()
})

it('says so where nobody did anything', () => {
  show({ answer: { ...answer, points: [] } })
  expect(screen.getByText(/没有符合条件的数据/)).toBeShown()
})
