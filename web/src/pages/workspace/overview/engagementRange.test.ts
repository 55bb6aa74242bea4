import { expect, it } from 'vitest'
import { engagementRange } from './engagementRange'

it.each([
  // What lies ahead has nobody in it yet.
  ['2026-11-01', '2026-11-30', '2026-11-01', '2026-11-15', false],
  ['2026-12-01', '2026-12-31', '2026-11-15', '2026-11-15', false],
  ['2026-10-01', '2026-10-31', '2026-10-01', '2026-10-31', false],
  // 180 days are counted, a 181st is not.
  ['2026-05-20', '2026-11-15', '2026-05-20', '2026-11-15', false],
  ['2026-05-19', '2026-11-15', '2026-05-20', '2026-11-15', true],
])('%s to %s is asked as %s to %s', (start, end, from, to, cut) => {
  expect(engagementRange({ start, end }, '2026-11-15')).toEqual({ start: from, end: to, cut })
})
