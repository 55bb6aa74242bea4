// Needs no page.
import { expect, it } from 'vitest'
import { byName } from './names'

it('sorts Chinese names by their pinyin, and numbers by their value', () => {
  const names = ['周末', '林小雨', 'Zoe', '阿宝', '站点 10', '站点 9', 'adam', '陈晨']
  expect(
    names
      .map((name) => ({ name }))
      .toSorted(byName)
      .map(({ name }) => name),
  ).toEqual(['阿宝', '陈晨', '林小雨', '站点 9', '站点 10', '周末', 'adam', 'Zoe'])
})
