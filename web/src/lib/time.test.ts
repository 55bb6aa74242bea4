// Needs no page.
import { expect, it } from 'vitest'
import { duration, exactTime, plannedTime, relativeTime } from './time'

const now = Date.UTC(2026, 0, 15, 12)
const ago = (seconds: number) => now - seconds * 1000

it.each([
  [0, null],
  [59, null],
  [60, '1 minute ago'],
  [3 * 3600 + 1800, '3 hours ago'],
  [86_400, 'yesterday'],
  [5 * 86_400, '5 days ago'],
  [40 * 86_400, 'last month'],
  [800 * 86_400, '2 years ago'],
])('%i s ago is %s', (seconds, text) => {
  expect(relativeTime(ago(seconds), now, 'en-US')).toBe(text)
})

it.each([
  [75, '1 minute', '1 分钟'],
  [3 * 60 + 59, '3 minutes', '3 分钟'],
  [7200, '2 hours', '2 小时'],
  [45, '45 seconds', '45 秒钟'],
])('%i s last %s', (seconds, english, chinese) => {
  expect(duration(seconds, 'en-US')).toBe(english)
  expect(duration(seconds, 'zh-CN')).toBe(chinese)
})

it('speaks the language', () => {
  expect(relativeTime(ago(7200), now, 'zh-CN')).toBe('2 小时前')
})

it('gives the exact time in the person’s zone and names the zone', () => {
  expect(exactTime(now, 'en-US', 'Asia/Shanghai')).toBe('Jan 15, 2026, 20:00:00 (Asia/Shanghai)')
  expect(exactTime(now, 'zh-CN', 'UTC')).toBe('2026年1月15日 12:00:00 (UTC)')
  expect(plannedTime(now, 'zh-CN', 'Asia/Shanghai')).toBe('2026年1月15日 20:00 (Asia/Shanghai)')
  expect(exactTime(now, 'en-US', 'No/Where')).toMatch(/\(.+\)$/)
})
