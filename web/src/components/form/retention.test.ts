// Needs no page.
import { expect, it } from 'vitest'
import { readDays } from './retention'

it.each([
  ['1', 1],
  [' 365 ', 365],
  ['3650', 3650],
  ['0', null],
  ['3651', null],
  ['-5', null],
  ['1.5', null],
  ['', null],
  ['ten', null],
])('%j is %s days', (text, days) => {
  expect(readDays(text)).toBe(days)
})
