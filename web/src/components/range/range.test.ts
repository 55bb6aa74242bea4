// Needs no page.
import { describe, expect, it } from 'vitest'
import {
  dayCount,
  granularitiesFor,
  movedRange,
  presetRange,
  readRange,
  usualGranularity,
  type Preset,
} from './range'

const range = (start: string, end: string) => ({ start, end })

describe('a preset', () => {
  it.each<[Preset, string, string]>([
    ['today', '2026-03-01', '2026-03-01'],
    ['yesterday', '2026-02-28', '2026-02-28'],
    ['7d', '2026-02-23', '2026-03-01'],
    ['14d', '2026-02-16', '2026-03-01'],
    ['30d', '2026-01-31', '2026-03-01'],
    ['90d', '2025-12-02', '2026-03-01'],
    ['month', '2026-03-01', '2026-03-31'],
    ['last_month', '2026-02-01', '2026-02-28'],
  ])('%s, on the first of March', (preset, start, end) => {
    expect(presetRange(preset, '2026-03-01')).toEqual({ start, end })
  })

  it('knows leap years and the turn of the year', () => {
    expect(presetRange('last_month', '2028-03-15').end).toBe('2028-02-29')
    expect(presetRange('last_month', '2026-01-15')).toEqual(range('2025-12-01', '2025-12-31'))
  })
})

describe('what the address says', () => {
  it('is a preset or two days', () => {
    expect(readRange('30d')).toBe('30d')
    expect(readRange('2026-03-01..2026-03-02')).toEqual(range('2026-03-01', '2026-03-02'))
  })

  it.each([
    null,
    '',
    '31d',
    '2026-03-02..2026-03-01',
    '2026-02-30..2026-03-01',
    '2026-03-01',
    '2026-03-01..x',
    '2026-3-1..2026-3-2',
    '1900-01-01..2026-01-01',
    '2026-03-01..2026-03-02..2026-03-03',
  ])('is nothing where it makes no sense: %s', (text) => {
    expect(readRange(text)).toBeNull()
  })
})

describe('the time before and after', () => {
  it('is as long and touches it', () => {
    expect(movedRange(range('2026-03-02', '2026-03-08'), -1)).toEqual(
      range('2026-02-23', '2026-03-01'),
    )
    expect(movedRange(range('2026-03-02', '2026-03-08'), 1)).toEqual(
      range('2026-03-09', '2026-03-15'),
    )
  })

  it('is whole months for whole months', () => {
    expect(movedRange(range('2026-03-01', '2026-03-31'), -1)).toEqual(
      range('2026-02-01', '2026-02-28'),
    )
    expect(movedRange(range('2026-01-01', '2026-03-31'), 1)).toEqual(
      range('2026-04-01', '2026-06-30'),
    )
  })
})

describe('the granularities', () => {
  it.each<[number, string[], string]>([
    [1, ['hour'], 'hour'],
    [7, ['hour', 'day'], 'day'],
    [30, ['hour', 'day', 'week'], 'day'],
    [90, ['day', 'week', 'month'], 'day'],
    [365, ['day', 'week', 'month'], 'week'],
    [3000, ['week', 'month'], 'month'],
  ])('of %i days', (days, all, usual) => {
    const end = new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10)
    const chosen = range('2026-01-01', end)
    expect(dayCount(chosen)).toBe(days)
    expect(granularitiesFor(chosen)).toEqual(all)
    expect(usualGranularity(chosen)).toBe(usual)
  })

  it('never make more buckets than the server takes', () => {
    for (let days = 1; days <= 3653; days += 1) {
      const end = new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10)
      const chosen = range('2026-01-01', end)
      const all = granularitiesFor(chosen)
      expect(all).toContain(usualGranularity(chosen))
      // One more hour for the day clocks go back, and partial weeks and months at both ends.
      const most = { hour: days * 24 + 1, day: days, week: days / 7 + 2, month: days / 28 + 2 }
      for (const one of all) expect(most[one]).toBeLessThanOrEqual(2000)
    }
  })
})
