// Needs no page.
import { describe, expect, it } from 'vitest'
import { assessPassword } from './strength'

const level = (password: string, personal?: string[]) => assessPassword(password, personal).level
const advice = (password: string, personal?: string[]) => assessPassword(password, personal).advice

describe('the strength of a password', () => {
  it('says nothing about nothing', () => {
    expect(assessPassword('')).toEqual({ level: 0, advice: null })
  })

  it.each([
    ['a', 1],
    ['Xk7#q2', 1],
    ['password', 1],
    ['P@ssw0rd', 1],
    ['12345678', 1],
    ['qwertyuiop', 1],
    ['aaaaaaaaaaaaaaaaaaaa', 1],
    ['abcabcabcabcabc', 1],
    ['woaini1314', 1],
    ['kfmvtqwz', 2],
    ['kF7#tQ2z', 2],
    ['kfmvtqwzbp', 2],
    ['kF7#tQ2zb', 3],
    ['correct horse battery', 4],
    ['kF7#tQ2zbLp9', 4],
    ['今天的晚霞很好看', 4],
  ])('%s is of level %i', (password, expected) => expect(level(password)).toBe(expected))

  it('grows with length', () => {
    const text = 'vtqkwzmfbphdcgjlrnsx'
    const levels = Array.from({ length: text.length }, (_, end) => level(text.slice(0, end + 1)))
    expect(levels).toEqual([...levels].sort())
    expect(new Set(levels)).toEqual(new Set([1, 2, 3, 4]))
  })

  it('counts for little what belongs to the person', () => {
    const person = ['lin.xiaoyu@harbour.example', '林小雨']
    expect(level('xiaoyu-harbour', person)).toBe(1)
    expect(advice('Xiaoyu2024', person)).toBe('personal')
    expect(advice('林小雨林小雨', person)).toBe('personal')
    expect(level('xiaoyu-harbour')).toBeGreaterThan(1)
  })

  it.each([
    ['P@ssw0rd', 'common'],
    ['zzzzzzzzz', 'repeat'],
    ['98765432', 'sequence'],
    ['kfmvtqw', 'longer'],
    ['704192586347', 'variety'],
  ] as const)('tells what to do about %s: %s', (password, expected) => {
    expect(advice(password)).toBe(expected)
  })

  it('has no advice where none is needed', () => {
    expect(advice('correct horse battery')).toBeNull()
  })

  it('is quick with the longest password, whatever it is made of', () => {
    const start = performance.now()
    for (const text of ['ab'.repeat(64), 'a'.repeat(128), 'aab'.repeat(42), '\u0000'.repeat(128)]) {
      assessPassword(text, ['someone@example.com', 'Some One'])
    }
    expect(performance.now() - start).toBeLessThan(200)
  })
})
