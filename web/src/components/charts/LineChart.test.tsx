import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import type { EChartsCoreOption } from 'echarts/core'
import { beforeEach, expect, it, vi } from 'vitest'
import { chooseTheme } from '../../theme/store'
import { SERIES_COLORS } from './colors'
import { LineChart } from './LineChart'
import * as charts from './loadEngine'
import type { ChartSeries } from './series'

const DAY = 86_400_000
const FIRST = Date.parse('2026-03-01T00:00:00Z')
const SERIES = [
  { key: 'now', name: '事件数', values: [1200, 34_567] },
  { key: 'before', name: '对比期', values: [800, 0], dashed: true, times: [0, DAY] },
]

/** Draws nothing; each bucket is ten pixels wide. */
const chart = {
  setOption: vi.fn<(option: EChartsCoreOption) => void>(),
  resize: vi.fn(),
  dispose: vi.fn(),
  getWidth: () => 1000,
  convertToPixel: (_: unknown, index: number) => index * 10,
  convertFromPixel: (_: unknown, x: number) => x / 10,
}
const engine = { init: vi.fn(() => chart) } as unknown as charts.Engine

beforeEach(() => {
  vi.clearAllMocks()
  vi.spyOn(charts, 'loadEngine').mockResolvedValue(engine)
  chooseTheme('light')
})

const show = (series: ChartSeries[] = SERIES, times = [FIRST, FIRST + DAY], partial?: number) =>
  render(
    <LineChart
      times={times}
      partial={partial}
      series={series}
      granularity="day"
      timezone="UTC"
      ariaLabel="事件趋势"
      emptyText="没有数据"
    />,
  )

interface Drawn {
  series: {
    id: string
    color: string
    lineStyle: { type: string }
    data: (number | null | { value: number; label?: { formatter: string } })[]
  }[]
}
const drawn = () => chart.setOption.mock.lastCall![0] as unknown as Drawn
const isDrawn = () => waitFor(() => expect(chart.setOption).toHaveBeenCalled())
const stage = () => screen.getByRole('img', { name: '事件趋势' })

it('has every number in a table before the library is there', () => {
  vi.mocked(charts.loadEngine).mockReturnValue(new Promise(() => {}))
  show()
  const table = screen.getByRole('table', { name: '事件趋势' })
  const [, first, second] = within(table).getAllByRole('row')
  expect(first!.textContent).toBe('2026年3月1日周日1,200800')
  expect(second!.textContent).toBe('2026年3月2日周一34,5670')
})

it('draws what is compared with as a dashed line', async () => {
  show()
  await isDrawn()
  expect(drawn().series.map(({ id, lineStyle }) => [id, lineStyle.type])).toEqual([
    ['now', 'solid'],
    ['before', 'dashed'],
  ])
})

/** The second of four days is unfinished. */
const SO_FAR: ChartSeries[] = [
  { key: 'now', name: '事件数', values: [7, 5, null, null] },
  { key: 'before', name: '对比期', values: [1, 2, 3, 4], dashed: true },
]
const DAYS = [0, 1, 2, 3].map((day) => FIRST + day * DAY)

it('dashes what is so far, says so, and draws nothing of what lies ahead', async () => {
  show(SO_FAR, DAYS, DAYS[1])
  await isDrawn()
  const [now, before, soFar] = drawn().series
  expect(now!.data).toEqual([7, null, null, null])
  expect(before!.data).toEqual([1, 2, 3, 4])
  expect([soFar!.id, soFar!.lineStyle.type]).toEqual(['now so far', 'dashed'])
  expect(soFar!.data).toMatchObject([
    { value: 7 },
    { value: 5, label: { formatter: '截至目前' } },
    null,
    null,
  ])
})

it('says in words and in the table what is so far and what lies ahead', async () => {
  show(SO_FAR, DAYS, DAYS[1])
  await isDrawn()
  const rows = within(screen.getByRole('table', { name: '事件趋势' })).getAllByRole('row')
  expect(rows.slice(1).map((row) => row.textContent)).toEqual([
    '2026年3月1日周日71',
    '2026年3月2日周一 · 截至目前52',
    '2026年3月3日周二—3',
    '2026年3月4日周三—4',
  ])
  // The first arrow key goes to the current bucket.
  fireEvent.keyDown(stage(), { key: 'ArrowRight' })
  expect(screen.getByRole('status').textContent).toBe('2026年3月2日周一 · 截至目前事件数5对比期2')
  fireEvent.keyDown(stage(), { key: 'ArrowRight' })
  expect(screen.getByRole('status').textContent).toBe('2026年3月3日周二事件数—对比期3')
})

it('says so where there is nothing to draw', () => {
  show([{ key: 'now', name: '事件数', values: [0, 0] }])
  expect(screen.getByText('没有数据')).toBeShown()
  expect(charts.loadEngine).not.toHaveBeenCalled()
})

it('leads on from the bucket that is clicked, or chosen by keys', async () => {
  const does = vi.fn()
  render(
    <LineChart
      times={[FIRST, FIRST + DAY]}
      series={SERIES}
      granularity="day"
      timezone="UTC"
      ariaLabel="事件趋势"
      emptyText="没有数据"
      onPoint={{ does, hint: '查看明细' }}
    />,
  )
  await isDrawn()
  fireEvent.keyDown(stage(), { key: 'Enter' })
  expect(does).not.toHaveBeenCalled()
  fireEvent.keyDown(stage(), { key: 'ArrowLeft' })
  expect(screen.getByRole('status').textContent).toContain('查看明细')
  fireEvent.keyDown(stage(), { key: 'Enter' })
  expect(does).toHaveBeenLastCalledWith(1)
  fireEvent.pointerMove(stage(), { clientX: 2 })
  fireEvent.click(stage())
  expect(does).toHaveBeenLastCalledWith(0)
  // A tap reads the values.
  fireEvent(stage(), Object.assign(new Event('click', { bubbles: true }), { pointerType: 'touch' }))
  expect(does).toHaveBeenCalledTimes(2)
})

it('tells all series of the bucket under the arrow keys, and of which time each is', async () => {
  show()
  await isDrawn()
  fireEvent.keyDown(stage(), { key: 'ArrowLeft' })
  expect(screen.getByRole('status').textContent).toBe(
    '2026年3月2日周一事件数34,567对比期1970年1月2日周五0',
  )
  fireEvent.keyDown(stage(), { key: 'ArrowLeft' })
  expect(screen.getByRole('status').textContent).toContain('1,200')
  fireEvent.keyDown(stage(), { key: 'Escape' })
  expect(screen.queryByRole('status')).toBeNull()
})

it('follows the pointer', async () => {
  const { container } = show()
  await isDrawn()
  fireEvent(stage(), new MouseEvent('pointermove', { bubbles: true, clientX: 9 }))
  expect(container.textContent).toContain('2026年3月2日周一事件数34,567')
})

it('hides a series from its legend, but never the last one', async () => {
  show()
  await isDrawn()
  fireEvent.click(screen.getByRole('button', { name: '事件数' }))
  expect(drawn().series.map(({ id }) => id)).toEqual(['before'])
  fireEvent.click(screen.getByRole('button', { name: '对比期' }))
  expect(drawn().series.map(({ id }) => id)).toEqual(['before'])
  fireEvent.click(screen.getByRole('button', { name: '事件数' }))
  expect(drawn().series.map(({ id }) => id)).toEqual(['now', 'before'])
})

it('takes the colors of the theme, also when that changes', async () => {
  show()
  await isDrawn()
  expect(drawn().series[1]!.color).toBe(SERIES_COLORS.light[1])
  act(() => chooseTheme('dark'))
  expect(drawn().series[1]!.color).toBe(SERIES_COLORS.dark[1])
})

it('can be tried again where the library did not come', async () => {
  vi.mocked(charts.loadEngine).mockRejectedValueOnce(new TypeError('Failed to fetch'))
  show()
  expect((await screen.findByRole('alert')).textContent).toContain('图表组件没有加载出来')
  fireEvent.click(screen.getByRole('button', { name: /^重\s?试$/ }))
  await isDrawn()
  expect(screen.queryByRole('alert')).toBeNull()
})

it('leaves nothing behind', async () => {
  const { unmount } = show()
  await isDrawn()
  unmount()
  expect(chart.dispose).toHaveBeenCalledOnce()
})
