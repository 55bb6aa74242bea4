import { describe, expect, it } from 'vitest'
import { isLabeled } from './option'
import { axisLabel, bucketLabel, compactCount, percent, plainCount } from './format'

const at = (moment: string) => Date.parse(moment)
const shanghai = { timezone: 'Asia/Shanghai', language: 'zh-CN' }

describe('a bucket of time', () => {
  it('is named in the board’s zone, not the computer’s', () => {
    const evening = at('2026-03-01T17:00:00Z')
    expect(axisLabel(evening, { ...shanghai, granularity: 'day' })).toBe('3/2')
    const berlin = { timezone: 'Europe/Berlin', language: 'en-US' } as const
    expect(axisLabel(evening, { ...berlin, granularity: 'day' })).toBe('Mar 1')
  })

  it('is an hour, or the day that it begins', () => {
    const style = { ...shanghai, granularity: 'hour' } as const
    expect(axisLabel(at('2026-03-01T06:00:00Z'), style)).toBe('14:00')
    expect(axisLabel(at('2026-02-28T16:00:00Z'), style)).toBe('3/1')
  })

  it('is a whole week, also where clocks change in it', () => {
    const style = { timezone: 'Europe/Berlin', language: 'en-US', granularity: 'week' } as const
    // From the Monday before daylight saving time begins on Sunday, March 29th.
    expect(bucketLabel(at('2026-03-22T23:00:00Z'), style)).toMatch(/Mar 23\s–\s29, 2026/)
    expect(bucketLabel(at('2026-10-18T22:00:00Z'), style)).toMatch(/Oct 19\s–\s25, 2026/)
  })

  it('is a month', () => {
    const style = { ...shanghai, granularity: 'month' } as const
    expect(bucketLabel(at('2026-02-28T16:00:00Z'), style)).toBe('2026年3月')
  })

  it('can be told in a zone that the browser does not know', () => {
    const style = { timezone: 'Mars/Olympus', language: 'en-US', granularity: 'month' } as const
    expect(bucketLabel(at('2026-03-15T00:00:00Z'), style)).toBe('March 2026')
  })
})

describe('a number', () => {
  it('is short on an axis', () => {
    expect(compactCount(12_345, 'zh-CN')).toBe('1.2万')
    expect(compactCount(2_500, 'zh-CN')).toBe('2,500')
    expect(compactCount(12_345, 'en-US')).toBe('12.3K')
    expect(compactCount(0, 'en-US')).toBe('0')
  })

  it('is whole elsewhere', () => {
    expect(plainCount(1_234_567, 'en-US')).toBe('1,234,567')
    expect(plainCount(3.14159, 'en-US')).toBe('3.14')
    expect(percent(0.1234, 'en-US')).toBe('12.3%')
  })
})

describe('labels below an axis', () => {
  const labeled = (count: number, granularity: 'hour' | 'day', width: number) =>
    Array.from({ length: count }, (_, index) => index).filter((index) =>
      isLabeled(index, count, granularity, width),
    )

  it('are all there where there is room', () => {
    expect(labeled(7, 'day', 1200)).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('are even and end with the newest day', () => {
    expect(labeled(7, 'day', 300)).toEqual([0, 2, 4, 6])
    expect(labeled(90, 'day', 600)).toEqual([5, 19, 33, 47, 61, 75, 89])
  })

  it('begin with the first hour', () => {
    expect(labeled(24, 'hour', 600)).toEqual([0, 4, 8, 12, 16, 20])
    expect(labeled(48, 'hour', 300)).toEqual([0, 24])
  })
})
