import { screen } from '@testing-library/react'
import { createRef } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { showInApp, user } from '../../../testing/app'
import { anEngine } from '../../../testing/chart'
import * as charts from '../../charts/loadEngine'
import type { ChartHandle } from '../../charts/LineChart'
import * as pictures from '../../charts/picture'
import { DistributionResult, FunnelResult, PathsResult, RetentionResult } from './index'

beforeEach(() => {
  vi.spyOn(charts, 'loadEngine').mockResolvedValue(anEngine())
  vi.spyOn(pictures, 'pictureOf').mockResolvedValue(new Blob())
  vi.spyOn(pictures, 'framed').mockResolvedValue(new Blob())
})

const RANGE = { start: '2026-03-01', end: '2026-03-02', timezone: 'UTC' }
const ANSWERED = { computed_at: '2026-11-01T00:00:00.000Z', rows_read: 0 }
const HOME = { kind: 'event' as const, name: 'home', page: null }
const CART = { ...HOME, name: 'cart' }
const STEP = { from_first: 1, from_previous: 1, median_seconds: null, p90_seconds: null }

/** The chart option used for an exported picture. */
async function drawn(show: (ref: React.Ref<ChartHandle>) => React.ReactNode) {
  const ref = createRef<ChartHandle>()
  showInApp(show(ref), { may: [], answers: {} })
  await ref.current!.toPng('标题', '说明')
  const picture = vi.mocked(pictures.pictureOf).mock.lastCall![0]
  expect(picture).toMatchObject({ title: '标题', note: '说明' })
  const { series } = picture.option(() => 1000)
  return (series as { type: string; data: unknown[] }[]).map(({ type, data }) => [type, data])
}

/** A canvas context that draws nothing but records the text. */
function aPen(written: string[]): CanvasRenderingContext2D {
  const does: Record<string, unknown> = { fillText: (text: string) => written.push(text) }
  return new Proxy({} as CanvasRenderingContext2D, {
    get: (_, name) => does[String(name)] ?? (() => {}),
    set: () => true,
  })
}

it('of a funnel has its steps as bars', async () => {
  const question = {
    ...RANGE,
    kind: 'funnel' as const,
    steps: [{ events: ['a'] }, { events: ['b'] }],
    window_minutes: 1,
  }
  const answer = {
    ...ANSWERED,
    kind: 'funnel' as const,
    steps: [
      { ...STEP, people: 9 },
      { ...STEP, people: 4 },
    ],
    groups: [],
    over_time: [],
    spread: [],
  }
  const told = await drawn((ref) => (
    <FunnelResult ref={ref} question={question} answer={answer} onPick={null} />
  ))
  expect(told).toEqual([['bar', [9, 4]]])
})

it('of retention is the heat map, or the curve where that is on screen', async () => {
  const question = {
    ...RANGE,
    kind: 'retention' as const,
    first: { events: [] },
    returning: { events: [] },
    unit: 'day' as const,
    units: 1,
  }
  const answer = {
    ...ANSWERED,
    kind: 'retention' as const,
    cohorts: [
      { start: 0, size: 2, returned: [2, 1] },
      { start: 86_400_000, size: 1, returned: [1, null] },
    ],
    average: [1, 0.5],
    groups: [],
  }
  const ref = createRef<ChartHandle>()
  showInApp(<RetentionResult ref={ref} question={question} answer={answer} onPick={null} />, {
    may: [],
    answers: {},
  })
  await ref.current!.toPng('标题', '说明')
  const picture = vi.mocked(pictures.framed).mock.lastCall![0]
  expect(picture).toMatchObject({ title: '标题', note: '说明' })
  const written: string[] = []
  picture.draw(aPen(written))
  expect(written.slice(0, -1)).toEqual([
    ...['初始日期', '初始人数', '第 0 天', '第 1 天'],
    ...['加权平均', '3', '100%', '50%'],
    ...['1970年1月1日周四', '2', '100%', '50%'],
    // The last one is not over yet.
    ...['1970年1月2日周五', '1', '100%'],
  ])

  await user.click(screen.getByRole('radio', { name: '留存曲线' }))
  await ref.current!.toPng('标题', '说明')
  const { series } = vi.mocked(pictures.pictureOf).mock.lastCall![0].option(() => 1000)
  expect(series).toMatchObject([{ type: 'line', data: [1, 0.5] }])
})

it('of paths has the flows', async () => {
  const question = { ...RANGE, kind: 'paths' as const, from: { events: ['home'] }, steps: 1 }
  const answer = {
    ...ANSWERED,
    kind: 'paths' as const,
    side: 'from' as const,
    people: 3,
    links: [{ step: 1, source: HOME, target: CART, people: 2 }],
  }
  const told = await drawn((ref) => (
    <PathsResult ref={ref} question={question} answer={answer} onPick={null} onStart={vi.fn()} />
  ))
  expect(told).toMatchObject([['sankey', [{ told: 'home' }, { told: 'cart' }]]])
})

it('of a distribution has its bars', async () => {
  const question = {
    ...RANGE,
    kind: 'distribution' as const,
    event: { events: [] },
    of: 'days' as const,
  }
  const bins = [{ from: 1, to: null, people: 5, events: 5 }]
  const answer = { ...ANSWERED, kind: 'distribution' as const, bins }
  const told = await drawn((ref) => (
    <DistributionResult ref={ref} question={question} answer={answer} onPick={null} />
  ))
  expect(told).toEqual([['bar', [5]]])
})
