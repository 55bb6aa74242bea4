import type { TimelineItem } from '../../../api/people'
import { dayAt } from '../../../lib/zonedDay'

interface Day {
  day: string
  items: TimelineItem[]
}

/** In the order they come in, cut where a day begins in the zone. */
export function byDay(items: TimelineItem[], timeZone: string): Day[] {
  const days: Day[] = []
  for (const item of items) {
    const day = dayIn(Date.parse(item.at), timeZone)
    const last = days.at(-1)
    if (last?.day === day) last.items.push(item)
    else days.push({ day, items: [item] })
  }
  return days
}

/** A zone that the server knows and this browser does not: the day in its own is near enough. */
function dayIn(moment: number, timeZone: string): string {
  try {
    return dayAt(moment, timeZone)
  } catch {
    return dayAt(moment, Intl.DateTimeFormat().resolvedOptions().timeZone)
  }
}
