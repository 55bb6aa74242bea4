import { act, renderHook } from '@testing-library/react'
import { MemoryRouter, useLocation, useNavigate } from 'react-router'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useRangeParams } from './useRangeParams'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-15T18:00:00Z') })
})
afterEach(() => vi.useRealTimers())

const at = (search: string, timezone = 'UTC') =>
  renderHook(
    () => ({
      params: useRangeParams(timezone),
      search: useLocation().search,
      navigate: useNavigate(),
    }),
    {
      wrapper: ({ children }) => (
        <MemoryRouter initialEntries={[`/x${search}`]}>{children}</MemoryRouter>
      ),
    },
  ).result

describe('range, granularity and comparison', () => {
  it('have defaults', () => {
    expect(at('?org=1').current.params).toMatchObject({
      range: { start: '2026-03-09', end: '2026-03-15' },
      preset: '7d',
      granularity: 'day',
      compare: 'previous_period',
    })
  })

  it('count days in the zone, where it may be tomorrow already', () => {
    expect(at('?range=today', 'Asia/Shanghai').current.params.range.start).toBe('2026-03-16')
    expect(at('?range=today', 'America/New_York').current.params.range.start).toBe('2026-03-15')
  })

  it('are read from the address', () => {
    const search = '?range=2026-01-01..2026-02-28&granularity=week&compare=previous_year'
    expect(at(search).current.params).toMatchObject({
      range: { start: '2026-01-01', end: '2026-02-28' },
      preset: null,
      granularity: 'week',
      compare: 'previous_year',
    })
  })

  it('fall back where the address asks for what cannot be', () => {
    expect(at('?range=90d&granularity=hour&compare=x').current.params).toMatchObject({
      granularity: 'day',
      compare: 'previous_period',
    })
  })

  it('go into the address, beside what is there; defaults need no mention', () => {
    const shown = at('?org=1&page=3')
    act(() => shown.current.params.setRange('30d'))
    expect(shown.current.search).toBe('?org=1&range=30d')
    act(() => shown.current.params.setGranularity('week'))
    act(() => shown.current.params.setCompare('none'))
    expect(shown.current.search).toBe('?org=1&range=30d&granularity=week&compare=none')
    act(() => shown.current.params.setRange('7d'))
    act(() => shown.current.params.setGranularity('day'))
    act(() => shown.current.params.setCompare('previous_period'))
    expect(shown.current.search).toBe('?org=1')
  })

  it('can be stepped through without filling the history', () => {
    const shown = at('?range=yesterday')
    act(() => shown.current.params.setRange('today'))
    act(() => shown.current.params.move(-1))
    act(() => shown.current.params.move(-1))
    expect(shown.current.search).toBe('?range=2026-03-13..2026-03-13')
    act(() => void shown.current.navigate(-1))
    expect(shown.current.search).toBe('?range=yesterday')
  })
})
