// Needs no page.
import { describe, expect, it } from 'vitest'
import type { TimelineItem } from '../../../api/people'
import { byDay } from './days'
import { summaryOf } from '../../../components/people/summary'

describe('properties in one line', () => {
  it('are the first that say something', () => {
    expect(summaryOf({ a: null, b: '', c: 'x', d: 0, e: [1], f: 'more' })).toEqual({
      told: [
        ['c', 'x'],
        ['d', '0'],
        ['e', '[1]'],
      ],
      more: 3,
    })
  })

  it('are short', () => {
    const [[, told] = []] = summaryOf({ a: '长'.repeat(60) }).told
    expect(told).toBe(`${'长'.repeat(40)}…`)
  })

  it('are none where there are none', () => {
    expect(summaryOf({})).toEqual({ told: [], more: 0 })
  })
})

it('a timeline is cut where days begin in the zone', () => {
  const item = (at: string) => ({ at, log_id: at }) as TimelineItem
  const items = ['2026-11-15T16:30:00Z', '2026-11-15T16:00:00Z', '2026-11-15T15:59:59Z'].map(item)
  const days = (zone: string) => byDay(items, zone).map(({ day, items: of }) => [day, of.length])
  expect(days('Asia/Shanghai')).toEqual([
    ['2026-11-16', 2],
    ['2026-11-15', 1],
  ])
  expect(days('UTC')).toEqual([['2026-11-15', 3]])
  // An unknown time zone must not hide anything.
  expect(byDay(items, 'Moon/Crater').flatMap(({ items: of }) => of)).toEqual(items)
})
