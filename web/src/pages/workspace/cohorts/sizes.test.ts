// Needs no page.
import { expect, it } from 'vitest'
import { latestSize, sizeCourse } from './sizes'

const size = (day: number, people: number) => ({ date: `2026-11-0${day}`, people })

it('compares the newest size with that of seven days before', () => {
  const [before, latest] = [size(1, 10), size(8, 12)]
  expect(latestSize([before, size(2, 99), latest])).toEqual({ latest, before })
})

it('compares with no other day where that one is missing', () => {
  expect(latestSize([size(2, 10), size(8, 12)])).toEqual({ latest: size(8, 12), before: null })
  expect(latestSize([size(8, 12)]).before).toBeNull()
})

it('leaves a gap for a day on which nothing was measured', () => {
  expect(sizeCourse([size(1, 0), size(3, 5)])).toEqual([
    size(1, 0),
    { date: '2026-11-02', people: null },
    size(3, 5),
  ])
  const overMonths = [
    { date: '2026-10-31', people: 1 },
    { date: '2026-11-01', people: 2 },
  ]
  expect(sizeCourse(overMonths)).toEqual(overMonths)
})
