/** Formats times for people. */

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** "3 hours ago"; null within a minute either way, for which the caller has its own text. */
export function relativeTime(at: number, now: number, language: string): string | null {
  const seconds = (at - now) / 1000
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  if (!unit) return null
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  return spaced(format.format(Math.trunc(seconds / unit[1]), unit[0]))
}

/** A duration in the largest unit that fits: "3 minutes", "3 分钟". */
export function duration(seconds: number, language: string): string {
  const [unit, length] = UNITS.find(([, least]) => seconds >= least) ?? ['second', 1]
  const value = Math.trunc(seconds / length)
  return spaced(value.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' }))
}

/** Adds the space that the console's Chinese texts have after a number. */
export function spaced(text: string): string {
  return text.replace(/(\d)(\p{Script=Han})/u, '$1 $2')
}

const TO_THE_MINUTE: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
}

/** Date and time to the second, with the time zone's name. */
export function exactTime(at: number, language: string, timeZone: string): string {
  return inZone({ ...TO_THE_MINUTE, second: '2-digit' }, at, language, timeZone)
}

/** To the minute, for planned rather than measured times. */
export function plannedTime(at: number, language: string, timeZone: string): string {
  return inZone(TO_THE_MINUTE, at, language, timeZone)
}

function inZone(
  options: Intl.DateTimeFormatOptions,
  at: number,
  language: string,
  timeZone: string,
): string {
  try {
    return named(new Intl.DateTimeFormat(language, { ...options, timeZone }), at)
  } catch {
    // The server knows this zone but the browser doesn't: use the browser's, and name it.
    return named(new Intl.DateTimeFormat(language, options), at)
  }
}

function named(format: Intl.DateTimeFormat, at: number): string {
  return `${format.format(at)} (${format.resolvedOptions().timeZone})`
}

/** Only the time of day, for use below a date or for something recent. */
export function clockTime(
  at: number,
  language: string,
  timeZone: string,
  /** Fractional second digits. */
  digits?: 3,
): string {
  const options: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: digits,
    hourCycle: 'h23',
  }
  return plain(options, at, language, timeZone)
}

/** The time of day to the millisecond; on another day, the date and minute. */
export function arrivalTime(at: number, now: number, language: string, timeZone: string): string {
  const day: Intl.DateTimeFormatOptions = { month: '2-digit', day: '2-digit' }
  const year = { ...day, year: 'numeric' } as const
  if (plain(year, at, language, timeZone) === plain(year, now, language, timeZone)) {
    return clockTime(at, language, timeZone, 3)
  }
  const minute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const words = [day, minute].map((options) => plain(options, at, language, timeZone))
  return words.join(' ')
}

function plain(
  options: Intl.DateTimeFormatOptions,
  at: number,
  language: string,
  timeZone: string,
): string {
  try {
    return new Intl.DateTimeFormat(language, { ...options, timeZone }).format(at)
  } catch {
    return new Intl.DateTimeFormat(language, options).format(at)
  }
}
