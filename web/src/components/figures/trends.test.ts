import { describe, expect, it } from 'vitest'
import type { App } from '../../api/app'
import { readQuestion } from '../explore/question'
import { anApp } from '../../testing/app'
import { readState } from '../range/useRangeParams'
import {
  bucketTime,
  explorableApps,
  explorePath,
  FIGURE_QUESTIONS,
  valueQuestion,
} from './exploring'

const WEEK = { start: '2026-03-02', end: '2026-03-08' }
const time = { preset: null, range: WEEK, granularity: 'day' } as const
const query = (path: string) => new URLSearchParams(path.split('?')[1])

describe('the way to the explorer', () => {
  it('asks the same of the same days in the same steps', () => {
    const question = valueQuestion('browser', 'a~b!c')
    const asked = query(explorePath(question, { ...time, granularity: 'hour' }))
    expect(readQuestion(asked)).toEqual(question)
    const shown = readState(asked, '2026-10-01', { preset: '7d', compare: 'none' })
    expect(shown).toMatchObject({ range: WEEK, granularity: 'hour' })
  })

  it('keeps the name of a range, and leaves out the steps that are usual', () => {
    const path = explorePath(FIGURE_QUESTIONS.page_views!, { ...time, preset: '7d' })
    expect(path).toBe('/explore?event=page_view&range=7d')
  })

  it('asks for what was not reported', () => {
    expect(valueQuestion('os', '').filters).toEqual([
      { property: '$os', operator: 'not_set', values: [] },
    ])
  })

  it('leads nowhere from figures that the explorer does not count', () => {
    expect(FIGURE_QUESTIONS.sessions).toBeUndefined()
    expect(FIGURE_QUESTIONS.new_devices).toBeUndefined()
  })

  it('is open for the chosen apps that the person may ask about', () => {
    const app = (id: string, ...permissions: App['permissions']) => ({ ...anApp, id, permissions })
    const apps = [app('a', 'query:run'), app('b', 'dashboard:view'), app('c', 'query:run')]
    const ids = (chosen: string[]) => explorableApps({ apps, chosen }).map(({ id }) => id)
    expect(ids([])).toEqual(['a', 'c'])
    expect(ids(['b', 'c'])).toEqual(['c'])
    expect(explorableApps({ apps: undefined, chosen: [] })).toEqual([])
  })
})

describe('a bucket', () => {
  const range = { start: '2026-01-01', end: '2026-12-31' }
  const days = (at: string, granularity: 'hour' | 'day' | 'week' | 'month', timezone: string) => {
    const { start, end } = bucketTime(Date.parse(at), granularity, { range, timezone }).range
    return `${start}..${end}`
  }

  it.each([
    // By the clock of the board, whatever that of the browser says.
    ['2026-03-01T23:00:00Z', 'hour', 'Asia/Shanghai', '2026-03-02..2026-03-02'],
    ['2026-03-02T04:00:00Z', 'hour', 'America/New_York', '2026-03-01..2026-03-01'],
    // The day on which the clocks go forward begins at 05:00 UTC and is 23 hours long.
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
