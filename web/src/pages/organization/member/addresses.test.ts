// Needs no page.
import { describe, expect, it } from 'vitest'
import { readAddresses } from './addresses'

describe('pasted addresses', () => {
  it.each([
    ['a@x.cn b@x.cn\tc@x.cn\nd@x.cn', ['a@x.cn', 'b@x.cn', 'c@x.cn', 'd@x.cn']],
    ['a@x.cn,b@x.cn;c@x.cn', ['a@x.cn', 'b@x.cn', 'c@x.cn']],
    ['a@x.cn，b@x.cn；c@x.cn、d@x.cn', ['a@x.cn', 'b@x.cn', 'c@x.cn', 'd@x.cn']],
    ['"Lin, Xiaoyu" <lin@x.cn>; 王五 <wang@x.cn>', ['lin@x.cn', 'wang@x.cn']],
    ['mailto:a@x.cn', ['a@x.cn']],
    ['a@x.cn A@X.cn', ['a@x.cn']],
    ['', []],
  ])('%j', (text, expected) => {
    expect(readAddresses(text).valid).toEqual(expected)
  })

  it('names what is none', () => {
    expect(readAddresses('a@x.cn\nnobody\n@home').wrong).toEqual(['nobody', '@home'])
    expect(readAddresses('王五 <wang@x.cn>').wrong).toEqual([])
  })
})
