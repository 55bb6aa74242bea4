import type { TimelineItem } from '../../../api/people'
import { dayAt } from '../../../lib/zonedDay'

interface Day {
  day: string
  items: TimelineItem[]
}

/** Keeps the order, and splits at midnight in the zone. */
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

/** If this browser doesn't know the server's zone, its own date is close enough. */
function dayIn(moment: number, timeZone: string): string {
  try {
    return dayAt(moment, timeZone)
  } catch {
    return dayAt(moment, Intl.DateTimeFormat().resolvedOptions().timeZone)
  }
}
