// Needs no page.
import { describe, expect, it } from 'vitest'
import { comparing, type Sortable, type SortType } from './sort'

const DAY = '2026-03-01T00:00:00.000Z'
const LATER = '2026-03-01T09:00:00.000+08:00'

describe('sorting', () => {
  const cases: [SortType, Sortable[], Sortable[], Sortable[]][] = [
    ['integer', [10, '9', null, -2], [-2, '9', 10, null], [10, '9', -2, null]],
    [
      'number',
      [0.5, undefined, '10.25', 2],
      [0.5, 2, '10.25', undefined],
      ['10.25', 2, 0.5, undefined],
    ],
    [
      'number',
      ['', Infinity, -Infinity, 0],
      [-Infinity, 0, Infinity, ''],
      [Infinity, 0, -Infinity, ''],
    ],
    ['timestamp', [LATER, null, DAY, 0], [0, DAY, LATER, null], [LATER, DAY, 0, null]],
    ['timestamp', ['no date', DAY], [DAY, 'no date'], [DAY, 'no date']],
  ]
  it.each(cases)('by %s puts %j in order, what is absent last', (type, given, up, down) => {
    expect(wrapped(given, type, 'asc')).toEqual(up)
    expect(wrapped(given, type, 'desc')).toEqual(down)
  })

  it('takes integers by their whole part only', () => {
    expect(comparing('integer', 'asc')('7.9', 7)).toBe(0)
    expect(comparing('number', 'asc')('7.9', 7)).toBeGreaterThan(0)
  })
})

/** Wraps values so that Array.sort doesn't move `undefined` to the end itself. */
function wrapped(values: Sortable[], type: SortType, order: 'asc' | 'desc') {
  const compare = comparing(type, order)
  return values
    .map((value) => ({ value }))
    .sort((one, other) => compare(one.value, other.value))
    .map(({ value }) => value)
}
