import { focusManager, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ok, stubServer } from '../testing/server'
import { allAppsQuery, overallQuery, type OverallQuestion } from './overall'
import { queryClient } from './queryClient'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  focusManager.setFocused(undefined)
  vi.useRealTimers()
})

const QUESTION: OverallQuestion = {
  start: '2026-03-01',
  end: '2026-03-07',
  granularity: 'day',
  compare: 'none',
  timezone: 'UTC',
}
const wrapper = ({ children }: { children: React.ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
)
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

it('is asked for again every minute, but only while it is looked at', async () => {
  const seen = stubServer({ '/orgs/o/data-overall': ok({ totals: {} }) })
  renderHook(() => useQuery(overallQuery('o', 'totals', QUESTION, 'zh-CN')), { wrapper })
  await wait(0)
  expect(seen).toHaveLength(1)
  await wait(60_000)
  expect(seen).toHaveLength(2)
  focusManager.setFocused(false)
  await wait(300_000)
  expect(seen).toHaveLength(2)
  focusManager.setFocused(true)
  await wait(0)
  expect(seen).toHaveLength(3)
})

it('keeps the figures of before while others are on their way', async () => {
  let answer = ok({ totals: 'old' })
  stubServer({ '/orgs/o/data-overall': () => answer() })
  const { result, rerender } = renderHook(
    ({ end }) => useQuery(overallQuery('o', 'totals', { ...QUESTION, end }, 'zh-CN')),
    { wrapper, initialProps: { end: '2026-03-07' } },
  )
  await wait(0)
  answer = ok({ totals: 'new' })
  rerender({ end: '2026-03-08' })
  expect(result.current).toMatchObject({ data: { totals: 'old' }, isPlaceholderData: true })
  await wait(0)
  expect(result.current).toMatchObject({ data: { totals: 'new' }, isPlaceholderData: false })
})

it('finds every app of a team, however many pages they fill', async () => {
  const all = Array.from({ length: 230 }, (_, id) => ({ id: String(id) }))
  const seen = stubServer({
    '/orgs/o/apps': () => {
      const page = Number(new URLSearchParams(seen.at(-1)!.query).get('page'))
      return Response.json({
        data: { items: all.slice((page - 1) * 100, page * 100), total: all.length },
      })
    },
  })
  expect(await queryClient.fetchQuery(allAppsQuery('o'))).toEqual(all)
  expect(seen).toHaveLength(3)
})
