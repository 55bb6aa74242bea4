/** Formats numbers and time buckets for charts and tables. */
import type { BucketSize } from '../range/range'
import { UNKNOWN } from '../table/Counted'

const DAY_MS = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

/** Creating a formatter is slow, and a chart needs the same one for every bucket. */
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
      // A time zone that the server knows but this browser doesn't.
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
/** 11/9 instead of 11月9日, to fit twice as many labels on an axis. */
const SHORT_DAY = { month: 'numeric', day: 'numeric' } as const

/** Short, for the axis; midnight is shown as its date. */
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

/** A date without its year, for use where the year is shown nearby. */
export function dayLabel(date: string, language: string): string {
  return inZone(language, DAY, 'UTC').format(Date.parse(date))
}

/** The full name of a bucket: its minute, hour, day, week, or month. */
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
      // Noon of the last day, because a week with a clock change is an hour longer or shorter.
      return inZone(language, whole, timezone).formatRange(time, time + 6.5 * DAY_MS)
    case 'month':
      return inZone(language, { year: 'numeric', month: 'long' }, timezone).format(time)
  }
}

/** The time of day, to the minute. */
export function timeLabel(moment: number, language: string, timezone: string): string {
  return inZone(language, HOUR, timezone).format(moment)
}

/** A date range without years. */
export function daysLabel(first: string, last: string, language: string): string {
  return inZone(language, DAY, 'UTC').formatRange(Date.parse(first), Date.parse(last))
}

/** The time of day, to the second. */
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

/** A dash for future values. */
export function countOrNone(value: number | null | undefined, language: string): string {
  return value == null ? UNKNOWN : plainCount(value, language)
}

/** 0.1234 is 12.3%. */
export function percent(ratio: number, language: string): string {
  return ratio.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 })
}
