import { useShortcuts } from '../shortcuts/useShortcuts'
import type { RangeParams } from './useRangeParams'

/** `d`, then the first digit of the number of days. */
export function useRangeShortcuts({ setRange, move }: RangeParams): void {
  useShortcuts({
    t: () => setRange('today'),
    y: () => setRange('yesterday'),
    'd 7': () => setRange('7d'),
    'd 1': () => setRange('14d'),
    'd 3': () => setRange('30d'),
    'd 9': () => setRange('90d'),
    m: () => setRange('month'),
    M: () => setRange('last_month'),
    '[': () => move(-1),
    ']': () => move(1),
  })
}
