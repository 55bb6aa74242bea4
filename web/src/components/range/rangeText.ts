import type { DayRange } from './range'

/** "2026/3/1 – 2026/3/7", "Mar 1 – 7, 2026": the shortest form of a range in a language. */
export function rangeText({ start, end }: DayRange, language: string): string {
  const format = new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  })
  const [from, to] = [start, end].map((day) => new Date(`${day}T12:00:00Z`))
  return start === end ? format.format(from) : format.formatRange(from!, to!)
}
