import { useShortcuts } from './shortcuts'
import type { Preset } from './range'
import type { RangeParams } from './useRangeParams'

/** `d` and the first digit of the number of days. */
const PRESET_KEYS: Record<string, Preset> = {
  t: 'today',
  y: 'yesterday',
  'd 7': '7d',
  'd 1': '14d',
  'd 3': '30d',
  'd 9': '90d',
  m: 'month',
  M: 'last_month',
}

/** What a key is called in the help, for each thing that it does. */
export const RANGE_KEYS = [
  { keys: ['t'], says: 'range.preset.today' },
  { keys: ['y'], says: 'range.preset.yesterday' },
  { keys: ['d', '7'], says: 'range.preset.7d' },
  { keys: ['d', '1'], says: 'range.preset.14d' },
  { keys: ['d', '3'], says: 'range.preset.30d' },
  { keys: ['d', '9'], says: 'range.preset.90d' },
  { keys: ['m'], says: 'range.preset.month' },
  { keys: ['Shift', 'm'], says: 'range.preset.last_month' },
  { keys: ['['], says: 'range.earlier' },
  { keys: [']'], says: 'range.later' },
] as const

export function useRangeShortcuts({ setRange, move }: RangeParams): void {
  useShortcuts({
    ...Object.fromEntries(
      Object.entries(PRESET_KEYS).map(([keys, preset]) => [keys, () => setRange(preset)]),
    ),
    '[': () => move(-1),
    ']': () => move(1),
  })
}
