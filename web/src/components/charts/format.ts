/** Numbers and buckets of time as charts and tables write them. */
import type { BucketSize } from '../range/range'
import { UNKNOWN } from '../table/Counted'

const DAY_MS = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

/** Making one is slow, and a chart needs the same one for every bucket. */
function inZone(
  language: string,
  options: Intl.DateTimeFormatOptions,
  timeZone: string,
): Intl.DateTimeFormat {
  const key = JSON.stringify([language, options, timeZone])
  let format = formats.get(key)
  if (!format) {
    try {
      format = new Intl.DateTimeFormat(language, { ...options, timeZone })
    } catch {
      // A zone that the server knows and this browser does not.
      format = new Intl.DateTimeFormat(language, options)
    }
    formats.set(key, format)
  }
  return format
}

export interface BucketStyle {
  granularity: BucketSize
  timezone: string
  language: string
}

const HOUR = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const DAY = { month: 'short', day: 'numeric' } as const
/** 11/9 rather than 11月9日, of which half as many fit below an axis. */
const SHORT_DAY = { month: 'numeric', day: 'numeric' } as const

/** Short, for below the axis: an hour that begins a day is told as that day. */
export function axisLabel(time: number, { granularity, timezone, language }: BucketStyle): string {
  if (granularity === 'month') {
    return inZone(language, { year: 'numeric', month: 'short' }, timezone).format(time)
  }
  if (granularity === 'hour' || granularity === 'minute') {
    const hour = inZone(language, HOUR, timezone).format(time)
    if (hour !== '00:00') return hour
  }
  return inZone(language, language.startsWith('zh') ? SHORT_DAY : DAY, timezone).format(time)
}

/** A date without its year, for where the years are told beside it. */
export function dayLabel(date: string, language: string): string {
  return inZone(language, DAY, 'UTC').format(Date.parse(date))
}

/** In full: which minute, hour, day, week or month a bucket is. */
export function bucketLabel(time: number, style: BucketStyle): string {
  const { granularity, timezone, language } = style
  const whole = { ...DAY, year: 'numeric' } as const
  switch (granularity) {
    case 'minute':
    case 'hour':
      return inZone(language, { ...whole, ...HOUR }, timezone).format(time)
    case 'day':
      return inZone(language, { ...whole, weekday: 'short' }, timezone).format(time)
    case 'week':
      // Noon, because a week in which clocks change is an hour longer or shorter.
      return inZone(language, whole, timezone).formatRange(time, time + 6.5 * DAY_MS)
    case 'month':
      return inZone(language, { year: 'numeric', month: 'long' }, timezone).format(time)
  }
}

/** The time of day of a moment, to the minute. */
export function timeLabel(moment: number, language: string, timezone: string): string {
  return inZone(language, HOUR, timezone).format(moment)
}

/** From one date to another, without their years. */
export function daysLabel(first: string, last: string, language: string): string {
  return inZone(language, DAY, 'UTC').formatRange(Date.parse(first), Date.parse(last))
}

/** The time of day of a moment, to the second. */
export function clockLabel(moment: number, language: string, timezone: string): string {
  const options = { timeStyle: 'medium', hourCycle: 'h23' } as const
  return inZone(language, options, timezone).format(moment)
}

/** 1.2K, or 1.2万 in Chinese. */
export function compactCount(value: number, language: string): string {
  return new Intl.NumberFormat(language, {
    notation: 'compact',
    maximumFractionDigits: 1,
    useGrouping: 'always',
  }).format(value)
}

/** With thousands separators; averages keep two digits. */
export function plainCount(value: number, language: string): string {
  return value.toLocaleString(language, { maximumFractionDigits: 2 })
}

/** A dash for what lies ahead. */
export function countOrNone(value: number | null | undefined, language: string): string {
  return value == null ? UNKNOWN : plainCount(value, language)
}

/** 0.1234 is 12.3%. */
export function percent(ratio: number, language: string): string {
  return ratio.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 })
}
