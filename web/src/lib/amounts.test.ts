// Needs no page.
import { describe, expect, it } from 'vitest'
import { formatBytes, formatMillis } from './amounts'

describe('a size', () => {
  it.each([
    [0, '0 byte'],
    [1023, '1,023 byte'],
    [1024, '1 kB'],
    [1536 * 1024, '1.5 MB'],
    [50 * 1024 ** 3, '50 GB'],
    [5000 * 1024 ** 4, '5,000 TB'],
  ])('%d is %s', (bytes, text) => expect(formatBytes(bytes, 'en-US')).toBe(text))
})

describe('a short time', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 sec'],
    [-5250, '-5.3 sec'],
  ])('%d is %s', (millis, text) => expect(formatMillis(millis, 'en-US')).toBe(text))

  it('has a space before its unit in Chinese, too', () => {
    expect(formatMillis(-40, 'zh-CN')).toBe('-40 毫秒')
  })
})
