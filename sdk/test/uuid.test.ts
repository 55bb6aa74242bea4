import { describe, expect, it, vi } from 'vitest'
import { uuid } from '../src/index'

const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('uuid', () => {
  it('is a random version 4 UUID', () => {
    const made = new Set(Array.from({ length: 100 }, () => uuid()))
    expect(made.size).toBe(100)
    for (const id of made) expect(id).toMatch(V4)
  })

  it('takes its bytes from random or rng when they are given', () => {
    const zeros = '00000000-0000-4000-8000-000000000000'
    expect(uuid({ random: new Uint8Array(16) })).toBe(zeros)
    expect(uuid({ rng: () => new Array(16).fill(0) })).toBe(zeros)
    expect(() => uuid({ random: [1, 2, 3] })).toThrow(RangeError)
  })

  it('writes 16 bytes into a buffer at an offset', () => {
    const buffer = new Uint8Array(20).fill(7)
    const random = Array.from({ length: 16 }, (_, index) => index)
    expect(uuid({ random }, buffer, 2)).toBe(buffer)
    expect([...buffer]).toEqual([
      7, 7, 0, 1, 2, 3, 4, 5, 0x46, 7, 0x88, 9, 10, 11, 12, 13, 14, 15, 7, 7,
    ])
    expect(uuid(null, new Array(16).fill(0))).toHaveLength(16)
  })

  it.each([
    [15, 0],
    [16, 1],
    [16, -1],
    [16, NaN],
    [0, 0],
  ])('throws a RangeError for a buffer of %d at offset %d', (length, offset) => {
    const buffer = new Uint8Array(length)
    expect(() => uuid(null, buffer, offset)).toThrow(RangeError)
    expect([...buffer]).toEqual(new Array(length).fill(0))
  })

  it('throws where secure random values are not supported', () => {
    vi.stubGlobal('crypto', {})
    expect(() => uuid()).toThrow('crypto.getRandomValues is not supported')
    vi.stubGlobal('crypto', undefined)
    expect(() => uuid()).toThrow('crypto.getRandomValues is not supported')
  })
})
