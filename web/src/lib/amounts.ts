/** Formats sizes and short durations. */
import { spaced } from './time'

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** "1.5 GB": in the largest unit that fits, each 1,024 times the previous one. */
export function formatBytes(bytes: number, language: string): string {
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), SIZES.length - 1)
  const text = (bytes / 1024 ** step).toLocaleString(language, {
    style: 'unit',
    unit: SIZES[step]!,
    maximumFractionDigits: step < 2 ? 0 : 1,
  })
  return spaced(text)
}

/** How long a machine took: "12 ms", "3.4 s"; negative if it is behind. */
export function formatMillis(millis: number, language: string): string {
  const [value, unit, digits] =
    Math.abs(millis) < 1000
      ? ([millis, 'millisecond', 0] as const)
      : ([millis / 1000, 'second', 1] as const)
  const options = { style: 'unit', unit, maximumFractionDigits: digits } as const
  return spaced(value.toLocaleString(language, options))
}
