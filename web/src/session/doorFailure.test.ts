import { describe, expect, it } from 'vitest'
import { t } from '../i18n/store'
import { readPack } from '../testing/packs'
import { DOOR_CODES, doorFailure } from './doorFailure'
import { DOORS, readDoor } from './doors'

const packs = [readPack('zh-CN'), readPack('en-US')]

describe('a failed trip', () => {
  it.each(DOOR_CODES)('has words for %s, of its own', (code) => {
    expect(doorFailure(t, code)).toBe(packs[0]![`door.failed.${code}`])
    for (const pack of packs) {
      expect(pack[`door.failed.${code}`]).toBeDefined()
      expect(pack[`door.failed.${code}`]).not.toBe(pack['door.failed.unknown'])
    }
  })

  it('has no two codes with the same words', () => {
    for (const pack of packs) {
      const texts = DOOR_CODES.map((code) => pack[`door.failed.${code}`])
      expect(new Set(texts).size).toBe(DOOR_CODES.length)
    }
  })

  it.each([
    '',
    'CANCELLED',
    'cancelled ',
    'unknown',
    '__proto__',
    'constructor',
    'toString',
    '../title',
    'cancelled.x',
    '<img src=x onerror=alert(1)>',
    'Your account is locked, call +1 555 0100',
    '{name}',
    'x'.repeat(10_000),
  ])('says nothing that the address says: %j', (text) => {
    expect(doorFailure(t, text)).toBe('操作没有完成，请重试。')
  })
})

describe('a door', () => {
  it('is one of those there are', () => {
    for (const door of DOORS) expect(readDoor(door)).toBe(door)
    for (const other of [null, '', 'SSO', 'sso ', '__proto__', 'dingtalk', 'length']) {
      expect(readDoor(other)).toBeNull()
    }
  })
})
