/** The share of everything listed, 0 to 1. */
export function shareOf(events: number, listed: { events: number }[]): number {
  const all = listed.reduce((sum, one) => sum + one.events, 0)
  return all > 0 ? events / all : 0
}
