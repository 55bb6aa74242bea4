// Needs no page.
import { expect, it } from 'vitest'
import { gapBetween } from './text'

it.each([
  ['最近一条：', '3 天前', ''],
  ['归档于', '刚刚', ''],
  ['归档于', '3 天前', ' '],
  ['Last message:', '3 days ago', ' '],
  ['Archived', 'just now', ' '],
  ['', '3 days ago', ''],
])('between %o and %o stands %o', (before, after, gap) => {
  expect(gapBetween(before, after)).toBe(gap)
})
