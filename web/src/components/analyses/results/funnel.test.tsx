import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import type { FunnelAnswer, FunnelQuestion, FunnelStep } from '../../../api/analysisTypes'
import { showInApp, user } from '../../../testing/app'
import { anEngine, clickDrawn, drawnSeries } from '../../../testing/chart'
import { ok } from '../../../testing/server'
import * as charts from '../../charts/loadEngine'
import * as narrow from '../../table/useIsNarrow'
import { FunnelResult } from './index'

beforeEach(() => void vi.spyOn(charts, 'loadEngine').mockResolvedValue(anEngine()))

const DAY = 86_400_000
const FIRST = Date.parse('2026-03-01T00:00:00Z')

const question: FunnelQuestion = {
  kind: 'funnel',
  start: '2026-03-01',
  end: '2026-03-03',
  timezone: 'UTC',
  steps: [{ events: ['view'] }, { events: ['pay', 'gift'] }],
  window_minutes: 60,
  granularity: 'day',
}

const step = (people: number, first: number, seconds: number | null = null): FunnelStep => ({
  people,
  from_first: people / first,
  from_previous: people / first,
  median_seconds: seconds,
  p90_seconds: seconds === null ? null : seconds * 10,
})

const answer: FunnelAnswer = {
  kind: 'funnel',
  computed_at: '2026-11-01T00:00:00.000Z',
  rows_read: 0,
  steps: [step(2000, 2000), step(500, 2000, 90)],
  groups: [
    {
      values: ['iOS'],
      other: false,
      redacted: [false],
      steps: [step(1000, 1000), step(400, 1000)],
    },
    { values: [null], other: false, redacted: [true], steps: [step(30, 30), step(3, 30)] },
    { values: [null], other: true, redacted: [false], steps: [step(970, 970), step(97, 970)] },
  ],
  over_time: [
    { time: FIRST, began: 1000, converted: 300, complete: true },
    { time: FIRST + DAY, began: 0, converted: 0, complete: true },
    { time: FIRST + 2 * DAY, began: 1000, converted: 200, complete: false },
  ],
  spread: [
    { from_seconds: 0, to_seconds: 60, people: 450 },
    { from_seconds: 60, to_seconds: 3600, people: 50 },
  ],
}

function show(props: Partial<React.ComponentProps<typeof FunnelResult>> = {}) {
  const onPick = vi.fn()
  const all = { question, answer, onPick, ...props }
  const items = [{ id: 'c1', name: '付费用户' }]
  const answers = { '/apps/app-1/cohorts': ok({ items, total: 1 }) }
  showInApp(<FunnelResult {...all} />, { may: [], answers })
  return onPick
}
const see = (view: string) => user.click(screen.getByRole('radio', { name: view }))

it('tells two steps of one event apart by what else must hold', async () => {
  const paid = (plan: string) => ({
    events: ['pay'],
    filters: { all: [{ property: 'plan', operator: 'is' as const, values: [plan] }] },
  })
  const onPick = show({ question: { ...question, steps: [paid('free'), paid('pro')] } })
  const steps = within(screen.getAllByRole('list')[0]!).getAllByRole('listitem')
  expect(steps.map((step) => step.textContent)).toEqual([
    expect.stringContaining('free'),
    expect.stringContaining('pro'),
  ])
  expect(steps[0]!.textContent).not.toContain('pro')
  await user.click(screen.getByRole('button', { name: /pay.*free.*2,000/ }))
  expect(onPick).toHaveBeenCalledWith(expect.objectContaining({ step: 0, dropped: false }))
})

it('says of each step how many, which share, and how long it took', () => {
  show()
  const [first, second] = screen.getAllByRole('listitem')
  expect(first!.textContent).toContain('2,000')
  expect(second!.textContent).toContain('pay / gift')
  expect(second!.textContent).toContain('占上一步 25%')
  expect(second!.textContent).toContain('耗时中位数 1分钟 30秒'.replace(/(\d)(分|秒)/g, '$1 $2'))
  expect(second!.textContent).toContain('90% 的人用时不超过 15 分钟')
  expect(second!.textContent).toContain('流失 1,500 人')
})

it('leads from a step to who reached it, and to who did not', async () => {
  const onPick = show()
  await user.click(screen.getByRole('button', { name: '查看“pay / gift”的 500 位用户' }))
  expect(onPick).toHaveBeenLastCalledWith({ of: 'funnel', step: 1, dropped: false, group: null })
  await user.click(screen.getByRole('button', { name: /流失”的 1,500 位用户/ }))
  expect(onPick).toHaveBeenLastCalledWith({ of: 'funnel', step: 1, dropped: true, group: null })
})

it('leads nowhere without permission', async () => {
  show({ onPick: null })
  expect(screen.queryByRole('button')).toBeNull()
  await see('分组对比')
  await waitFor(() => expect(drawnSeries()).toHaveLength(3))
  expect(within(screen.getByRole('table')).queryByRole('button')).toBeNull()
  expect(clickDrawn({ dataIndex: 0, seriesId: '["iOS"]' })).toBe(false)
})

it('compares the values of a breakdown, also those that are hidden', async () => {
  const onPick = show()
  await see('分组对比')
  const [, ios, hidden, rest] = within(screen.getByRole('table')).getAllByRole('row')
  expect(ios!.textContent).toBe('iOS1,00040040%流失 600 人40%—')
  expect(within(hidden!).getByRole('rowheader').textContent).toBe('已隐藏')
  expect(within(rest!).getByRole('rowheader').textContent).toBe('其他')
  await user.click(within(ios!).getAllByRole('button')[1]!)
  const group = { values: ['iOS'], other: false, redacted: [false] }
  const picked = { of: 'funnel', step: 1, dropped: false, group }
  expect(onPick).toHaveBeenLastCalledWith(picked)
  await waitFor(() => expect(drawnSeries().map(({ data }) => data[1])).toEqual([0.4, 0.1, 0.1]))
  clickDrawn({ dataIndex: 0, seriesId: '["iOS"]' })
  expect(onPick).toHaveBeenLastCalledWith({ ...picked, step: 0 })
  await user.click(within(ios!).getByRole('button', { name: /“iOS · “[^”]+”之前流失”/ }))
  expect(onPick).toHaveBeenLastCalledWith({ ...picked, dropped: true })
})

it('compares them in cards on a phone, which lead to the same people', async () => {
  vi.spyOn(narrow, 'useIsNarrow').mockReturnValue(true)
  const onPick = show()
  await see('分组对比')
  expect(screen.queryByRole('table')).toBeNull()
  const cards = within(screen.getByRole('list', { name: '分组对比' })).getAllByRole('listitem')
  expect(cards.map(({ firstChild }) => firstChild!.textContent)).toEqual(['iOS', '已隐藏', '其他'])
  const named = within(cards[0]!).getAllByRole('term')
  expect(
    named.map(({ nextSibling, textContent }) => [textContent, nextSibling!.textContent]),
  ).toEqual([
    ['1. view', '1,000'],
    ['2. pay / gift', '40040%流失 600 人'],
    ['总转化率', '40%'],
    ['耗时中位数', '—'],
  ])
  await user.click(within(cards[0]!).getAllByRole('button')[2]!)
  const group = { values: ['iOS'], other: false, redacted: [false] }
  expect(onPick).toHaveBeenLastCalledWith({ of: 'funnel', step: 1, dropped: true, group })
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
  await see('分组对比')
  const table = within(screen.getByRole('table'))
  expect(await table.findByRole('rowheader', { name: '付费用户' })).toBeShown()
  expect(table.getByRole('rowheader', { name: '不在“付费用户”中' })).toBeShown()
  // In the legend too.
  expect(screen.getByRole('button', { name: '不在“付费用户”中' })).toBeShown()
  await user.click(table.getAllByRole('button').at(-2)!)
  const group = { values: ['out'], other: false, redacted: [false] }
  const picked = { of: 'funnel', step: 1, dropped: false, group }
  expect(onPick).toHaveBeenLastCalledWith(picked)
  await waitFor(() => expect(drawnSeries()).toHaveLength(2))
  clickDrawn({ dataIndex: 0, seriesId: '["in"]' })
  expect(onPick).toHaveBeenLastCalledWith({
    ...picked,
    step: 0,
    group: { ...group, values: ['in'] },
  })
})

it('has another name for a cohort that is not known', async () => {
  const groups = [{ ...answer.groups[0]!, values: ['out'] }]
  show({ question: { ...question, breakdown: ['$cohort:gone'] }, answer: { ...answer, groups } })
  await see('分组对比')
  expect(screen.getByRole('rowheader', { name: '不在“未知分群”中' })).toBeShown()
})

it('draws conversion over time, marks what is not over, and leads to who it was', async () => {
  const onPick = show()
  await see('转化趋势')
  await waitFor(() => expect(drawnSeries()).toHaveLength(2))
  const [whole, soFar] = drawnSeries()
  expect(whole!.data).toEqual([0.3, null, null])
  expect(soFar!.data).toEqual([null, { value: null, symbol: 'none' }, 0.2])
  const rows = within(screen.getByRole('table')).getAllByRole('row')
  // Newest first.
  expect(rows[1]!.textContent).toBe('2026年3月3日周二截至目前1,00020020%')
  expect(rows[2]!.textContent).toBe('2026年3月2日周一00—')
  await user.click(within(rows[1]!).getAllByRole('button')[1]!)
  const picked = { of: 'funnel', step: 1, dropped: false, group: null, time: FIRST + 2 * DAY }
  expect(onPick).toHaveBeenLastCalledWith(picked)
  await user.click(within(rows[1]!).getAllByRole('button')[0]!)
  expect(onPick).toHaveBeenLastCalledWith({ ...picked, step: 0 })
})

it('shows how long converting took', async () => {
  show()
  await see('用时分布')
  const rows = within(screen.getByRole('table')).getAllByRole('row')
  expect(rows[1]!.textContent).toBe('0 秒 – 1 分钟450')
})

it('says so where nobody began, or nobody arrived', async () => {
  show({ answer: { ...answer, steps: [step(0, 1), step(0, 1)], groups: [] } })
  expect(screen.getByText(/没有符合条件的数据/)).toBeShown()
  show({ answer: { ...answer, groups: [], spread: [] } })
  expect(screen.queryByRole('radio', { name: '分组对比' })).toBeNull()
  await see('用时分布')
  expect(screen.getByText(/没有人走完全部步骤/)).toBeShown()
})
