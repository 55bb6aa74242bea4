import { expect, it } from 'vitest'
import { wrapped } from './picture'

const upTo = (most: number) => (line: string) => line.length <= most

it('a title that fits is one line', () => {
  expect(wrapped('Orders by day', upTo(20))).toEqual(['Orders by day'])
})

it('a long title goes on below, between words', () => {
  expect(wrapped('Orders by day and browser', upTo(13))).toEqual(['Orders by day', 'and browser'])
})

it('its first line leaves room for what stands beside it', () => {
  const fits = (line: string, index: number) => line.length <= (index === 0 ? 6 : 20)
  expect(wrapped('Orders by day and browser', fits)).toEqual(['Orders', 'by day and browser'])
})

it('a word longer than a line is broken', () => {
  expect(wrapped('abcdefgh', upTo(3))).toEqual(['abc', 'def', 'gh'])
})
