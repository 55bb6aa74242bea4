import type { SizeOfDay } from '../../../api/analyses'
import { addDays } from '../../../components/range/range'

const WEEK = 7

/** The newest, and that of a week before; null where nothing was measured on that very day. */
export function latestSize(sizes: SizeOfDay[]) {
  const latest = sizes.at(-1)!
  const day = addDays(latest.date, -WEEK)
  return { latest, before: sizes.find(({ date }) => date === day) ?? null }
}

/** Of each day from the first to the last: a day without a size is a gap, because nobody knows it. */
export function sizeCourse(sizes: SizeOfDay[]): { date: string; people: number | null }[] {
  const known = new Map(sizes.map(({ date, people }) => [date, people]))
  const [first, last] = [sizes[0]!.date, sizes.at(-1)!.date]
  const days: { date: string; people: number | null }[] = []
  for (let date = first; date <= last; date = addDays(date, 1)) {
    days.push({ date, people: known.get(date) ?? null })
  }
  return days
}
