import { describe, expect, it } from 'vitest'
import type { App } from '../../api/app'
import { readWritten } from '../analyses/address'
import { anApp } from '../../testing/app'
import { readState } from '../range/useRangeParams'
import { bucketTime, appsToAsk, trendPath, FIGURE_TRENDS, valueTrend } from './trends'

const WEEK = { start: '2026-03-02', end: '2026-03-08' }
const time = { preset: null, range: WEEK, granularity: 'day' } as const
const query = (path: string) => new URLSearchParams(path.split('?')[1])

describe('the way to a trend', () => {
  it('asks the same of the same days in the same steps', () => {
    const question = valueTrend('browser', 'a~b!c')
    const asked = query(trendPath(question, { ...time, granularity: 'hour' }))
    expect(readWritten(asked.get('q'), 'trend')).toEqual({ ...question, granularity: 'hour' })
    const shown = readState(asked, '2026-10-01', { preset: '7d', compare: 'none' })
    expect(shown).toMatchObject({ range: WEEK })
  })

  it('keeps the name of a range, and leaves out the steps that are usual', () => {
    const path = trendPath(FIGURE_TRENDS.page_views!, { ...time, preset: '7d' })
    expect(path).toBe('/analyses/trend?q=%7B%22s%22%3A%5B%5B%22page_view%22%5D%5D%7D&range=7d')
  })

  it('asks for what was not reported', () => {
    expect(valueTrend('os', '').filters).toEqual({
      all: [{ property: '$os', operator: 'not_set', values: [] }],
    })
  })

  it('leads nowhere from figures that no trend counts', () => {
    expect(FIGURE_TRENDS.sessions).toBeUndefined()
    expect(FIGURE_TRENDS.new_devices).toBeUndefined()
  })

  it('is open for the chosen apps that the person may ask about', () => {
    const app = (id: string, ...permissions: App['permissions']) => ({ ...anApp, id, permissions })
    const apps = [app('a', 'query:run'), app('b', 'dashboard:view'), app('c', 'query:run')]
    const ids = (chosen: string[]) => appsToAsk({ apps, chosen }).map(({ id }) => id)
    expect(ids([])).toEqual(['a', 'c'])
    expect(ids(['b', 'c'])).toEqual(['c'])
    expect(appsToAsk({ apps: undefined, chosen: [] })).toEqual([])
  })
})

describe('a bucket', () => {
  const range = { start: '2026-01-01', end: '2026-12-31' }
  const days = (at: string, granularity: 'hour' | 'day' | 'week' | 'month', timezone: string) => {
    const { start, end } = bucketTime(Date.parse(at), granularity, { range, timezone }).range
    return `${start}..${end}`
  }

  it.each([
    // In the board's time zone, whatever the browser's.
    ['2026-03-01T23:00:00Z', 'hour', 'Asia/Shanghai', '2026-03-02..2026-03-02'],
    ['2026-03-02T04:00:00Z', 'hour', 'America/New_York', '2026-03-01..2026-03-01'],
    // The day clocks go forward starts at 05:00 UTC and has 23 hours.
    ['2026-03-08T05:00:00Z', 'day', 'America/New_York', '2026-03-08..2026-03-08'],
    ['2026-03-29T22:00:00Z', 'week', 'Europe/Berlin', '2026-03-30..2026-04-05'],
    ['2026-01-31T23:00:00Z', 'month', 'Europe/Berlin', '2026-02-01..2026-02-28'],
  ] as const)('at %s by %s in %s is %s', (at, granularity, timezone, expected) => {
    expect(days(at, granularity, timezone)).toBe(expected)
  })

  it('ends where the board does', () => {
    const week = { range: { start: '2026-03-04', end: '2026-03-05' }, timezone: 'UTC' }
    const asked = bucketTime(Date.parse('2026-03-02T00:00:00Z'), 'week', week)
    expect(asked).toEqual({ preset: null, range: week.range, granularity: 'hour' })
  })
})
