import type { SizeOfDay } from '../../../api/analyses'
import { addDays } from '../../../components/range/range'

const WEEK = 7

/** The latest size and the one a week before; null if that exact day wasn't measured. */
export function latestSize(sizes: SizeOfDay[]) {
  const latest = sizes.at(-1)!
  const day = addDays(latest.date, -WEEK)
  return { latest, before: sizes.find(({ date }) => date === day) ?? null }
}

/** One entry for every day from first to last; unmeasured days are null. */
export function sizeCourse(sizes: SizeOfDay[]): { date: string; people: number | null }[] {
  const known = new Map(sizes.map(({ date, people }) => [date, people]))
  const [first, last] = [sizes[0]!.date, sizes.at(-1)!.date]
  const days: { date: string; people: number | null }[] = []
  for (let date = first; date <= last; date = addDays(date, 1)) {
    days.push({ date, people: known.get(date) ?? null })
  }
  return days
}
