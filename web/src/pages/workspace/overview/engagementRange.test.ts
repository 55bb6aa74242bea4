import { expect, it } from 'vitest'
import { addDays } from '../../../components/range/range'
import { engagementRange, mondayOf } from './engagementRange'

it.each([
  // The future has nobody in it yet.
  ['2026-11-01', '2026-11-30', '2026-11-01', '2026-11-15', false],
  ['2026-12-01', '2026-12-31', '2026-11-15', '2026-11-15', false],
  ['2026-10-01', '2026-10-31', '2026-10-01', '2026-10-31', false],
  // 180 days are allowed, 181 are not.
  ['2026-05-20', '2026-11-15', '2026-05-20', '2026-11-15', false],
  ['2026-05-19', '2026-11-15', '2026-05-20', '2026-11-15', true],
])('%s to %s is asked as %s to %s', (start, end, from, to, cut) => {
  expect(engagementRange({ start, end }, '2026-11-15')).toMatchObject({ start: from, end: to, cut })
})

it.each([
  // A Sunday: eight weeks including the one it ends.
  ['2026-11-09', '2026-11-15', '2026-09-21'],
  ['2026-11-15', '2026-11-15', '2026-09-21'],
  // A range that begins earlier starts on the Monday of its first week.
  ['2026-09-03', '2026-11-15', '2026-08-31'],
  ['2026-03-01', '2026-03-03', '2026-02-23'],
  // Unless that exceeds the limit.
  ['2026-05-20', '2026-11-15', '2026-05-20'],
])('of %s to %s, retention looks at those who were new from %s on', (start, end, from) => {
  const asked = engagementRange({ start, end }, '2026-11-15')
  expect(asked.cohortsFrom).toBe(from)
})

it('always looks at some whose 30th day is over', () => {
  for (let day = 0; day < 7; day += 1) {
    const today = addDays('2026-11-09', day)
    const { cohortsFrom } = engagementRange({ start: today, end: today }, today)
    // A full week of them.
    expect(addDays(cohortsFrom, 6 + 30) < today).toBe(true)
    expect(mondayOf(cohortsFrom)).toBe(cohortsFrom)
  }
})
