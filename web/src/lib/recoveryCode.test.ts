// Needs no page.
import { describe, expect, it } from 'vitest'
import { bareRecoveryCode, formatRecoveryCode, inGroups } from './recoveryCode'

describe('a recovery code', () => {
  it.each([
    ['', ''],
    ['abcde', 'abcde'],
    ['abcdef', 'abcde-f'],
    ['abcdefghij', 'abcde-fghij'],
    ['abcde-fghij', 'abcde-fghij'],
    ['ABCDE FGHIJ', 'abcde-fghij'],
    [' abcde–fghij\n', 'abcde-fghij'],
    ['ａｂｃｄｅ-２３４５６', 'abcde-23456'],
    ['abcde-fghij-extra', 'abcde-fghij'],
    ['恢复码：abcde-23456。', 'abcde-23456'],
  ])('%j is brought into the form %j', (typed, shown) => {
    expect(formatRecoveryCode(typed)).toBe(shown)
  })

  it('counts without its dash', () => {
    expect(bareRecoveryCode('Abcde-Fghij')).toBe('abcdefghij')
  })
})

it('a secret is read in groups of four', () => {
  expect(inGroups('ABCDEFGHIJ')).toBe('ABCD EFGH IJ')
  expect(inGroups('ABCDEFGH')).toBe('ABCD EFGH')
})
