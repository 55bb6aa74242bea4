import { createRef } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { showInApp } from '../../../testing/app'
import { anEngine } from '../../../testing/chart'
import { loadEngine } from '../../charts/loadEngine'
import type { ChartHandle } from '../../charts/LineChart'
import { pictureOf } from '../../charts/picture'
import { DistributionResult, FunnelResult, PathsResult, RetentionResult } from './index'

vi.mock('../../charts/loadEngine', () => ({ loadEngine: vi.fn() }))
vi.mock('../../charts/picture', () => ({ pictureOf: vi.fn(), chartPicture: vi.fn() }))
beforeEach(() => void vi.mocked(loadEngine).mockResolvedValue(anEngine()))

const RANGE = { start: '2026-03-01', end: '2026-03-02', timezone: 'UTC' }
const ANSWERED = { computed_at: 0, rows_read: 0 }
const HOME = { kind: 'event' as const, name: 'home', page: null }
const CART = { ...HOME, name: 'cart' }
const STEP = { from_first: 1, from_previous: 1, median_seconds: null, p90_seconds: null }

/** What a picture of an answer is told to draw. */
async function drawn(show: (ref: React.Ref<ChartHandle>) => React.ReactNode) {
  const ref = createRef<ChartHandle>()
  showInApp(show(ref), { may: [], answers: {} })
  vi.mocked(pictureOf).mockResolvedValue(new Blob())
  await ref.current!.toPng('标题', '说明')
  const picture = vi.mocked(pictureOf).mock.lastCall![0]
  expect(picture).toMatchObject({ title: '标题', note: '说明' })
  const { series } = picture.option(() => 1000)
  return (series as { type: string; data: unknown[] }[]).map(({ type, data }) => [type, data])
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

it('of retention has the curve of its average', async () => {
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
    cohorts: [{ start: 0, size: 2, returned: [2, 1] }],
    average: [1, 0.5],
    groups: [],
  }
  const told = await drawn((ref) => (
    <RetentionResult ref={ref} question={question} answer={answer} onPick={null} />
  ))
  expect(told).toEqual([['line', [1, 0.5]]])
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
