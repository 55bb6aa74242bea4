// Needs no page.
import { describe, expect, it } from 'vitest'
import { dayAt, dayEnd, dayStart } from './zonedDay'

const iso = (moment: number | null) => moment && new Date(moment).toISOString()

describe('a day in a zone', () => {
  it.each([
    ['2026-11-15', 'UTC', '2026-11-15T00:00:00.000Z', '2026-11-15T23:59:59.999Z'],
    ['2026-11-15', 'Asia/Shanghai', '2026-11-14T16:00:00.000Z', '2026-11-15T15:59:59.999Z'],
    ['2026-11-15', 'Asia/Kolkata', '2026-11-14T18:30:00.000Z', '2026-11-15T18:29:59.999Z'],
    // 23 and 25 hours long.
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
  ])('%s in %s', (day, zone, start, end) => {
    expect(iso(dayStart(day, zone))).toBe(start)
    expect(iso(dayEnd(day, zone))).toBe(end)
  })

  it.each(['', 'yesterday', '2026-13-01', '2026-11-15T00:00Z'])('is not %j', (day) => {
    expect(dayStart(day, 'UTC')).toBeNull()
    expect(dayEnd(day, 'UTC')).toBeNull()
  })
})

it.each([
  ['2026-11-15T15:59:59.999Z', 'Asia/Shanghai', '2026-11-15'],
  ['2026-11-15T16:00:00.000Z', 'Asia/Shanghai', '2026-11-16'],
  ['2026-03-29T21:59:59.999Z', 'Europe/Berlin', '2026-03-29'],
  ['2026-11-02T04:59:59.999Z', 'America/New_York', '2026-11-01'],
])('%s falls, in %s, on %s', (moment, zone, day) => {
  expect(dayAt(Date.parse(moment), zone)).toBe(day)
})
