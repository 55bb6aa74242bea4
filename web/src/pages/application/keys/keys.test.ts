import { describe, expect, it } from 'vitest'
import type { AccessKey } from '../../../api/keys'
import { keyActionsFor } from './accessKeyColumns'
import { envFileOf } from './envFile'
import { chosenOf, endOf, expiresSoon } from './expiry'
import { hoursOf } from './grace'
import { previousUse } from './previous'

const NOW = Date.parse('2026-11-15T08:00:00.000Z')
const ago = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString()

describe('whether an old value can go', () => {
  const use = (reset: number, used: number | null) =>
    previousUse(
      {
        created_at: ago(reset),
        previous: {
          valid_until: ago(-24),
          last_used_at: used === null ? null : ago(used),
          last_used_ip: null,
          addresses: 0,
        },
      },
      NOW,
    )

  it('says yes of one that nobody ever used', () => {
    expect(use(1, null)).toEqual({ state: 'never' })
  })

  it('says yes of one that rests for three days', () => {
    expect(use(100, 71.9)).not.toHaveProperty('days')
    expect(use(100, 72)).toEqual({ state: 'idle', days: 3 })
    expect(use(1, 240)).toEqual({ state: 'idle', days: 10 })
  })

  it('says yes of one that nobody came back to for a day after the reset', () => {
    expect(use(24, 25)).toEqual({ state: 'quiet' })
  })

  it('does not take the first hours after a reset for silence', () => {
    expect(use(2, 3)).toEqual({ state: 'used', at: ago(3) })
  })

  it('says no of one that was used since', () => {
    expect(use(48, 1)).toEqual({ state: 'used', at: ago(1) })
  })
})

describe('when a key ends', () => {
  const iso = (end: number | null) => end && new Date(end).toISOString()

  it('is the end of a day in the person’s zone', () => {
    expect(iso(endOf({ expiry: '30', day: '' }, 'Asia/Shanghai', NOW))).toBe(
      '2026-12-15T15:59:59.999Z',
    )
    expect(iso(endOf({ expiry: 'date', day: '2027-01-31' }, 'UTC', NOW))).toBe(
      '2027-01-31T23:59:59.999Z',
    )
  })

  it('is never, or not known yet', () => {
    expect(endOf({ expiry: 'never', day: '2027-01-31' }, 'UTC', NOW)).toBeNull()
    expect(endOf({ expiry: 'date', day: '' }, 'UTC', NOW)).toBeNull()
  })

  it('is shown as the day it was chosen as', () => {
    const zone = 'America/New_York'
    const chosen = { expiry: 'date', day: '2027-01-31' } as const
    const expires_at = new Date(endOf(chosen, zone, NOW)!).toISOString()
    expect(chosenOf({ expires_at } as AccessKey, zone)).toEqual(chosen)
    expect(chosenOf({ expires_at: null } as AccessKey, zone).expiry).toBe('never')
  })

  it.each([
    ['active', -7 * 24, true],
    ['active', -7 * 24 - 1, false],
    ['disabled', -1, false],
    ['expired', 1, false],
  ] as const)('is close: %s, %d hours ago: %s', (state, hours, soon) => {
    expect(expiresSoon({ state, expires_at: ago(hours) }, NOW)).toBe(soon)
  })

  it('is not close where there is no end', () => {
    expect(expiresSoon({ state: 'active', expires_at: null }, NOW)).toBe(false)
  })
})

it.each([
  ['24', 'x', 24],
  ['0', '', 0],
  ['other', ' 48 ', 48],
  ['other', '0', 0],
  ['other', '168', 168],
  ['other', '169', null],
  ['other', '1.5', null],
  ['other', '-1', null],
  ['other', '', null],
] as const)('the grace period %s %j is %s hours', (grace, typed, hours) => {
  expect(hoursOf(grace, typed)).toBe(hours)
})

it.each([
  ['active', ['rename', 'expiry', 'disable', 'delete']],
  ['disabled', ['rename', 'expiry', 'enable', 'delete']],
  ['expired', ['rename', 'expiry', 'delete']],
] as const)('a key that is %s can be %j', (state, actions) => {
  expect(keyActionsFor({ state })).toEqual(actions)
})

it('a new key becomes a server’s settings, whatever it is called', () => {
  const key = { id: 'AK1', name: 'billing\nATRIUM_URL=https://evil.example', secret: 's' }
  expect(envFileOf({ endpoint: 'https://eu.example/' }, key)).toBe(
    '# billing ATRIUM_URL=https://evil.example\n' +
      'ATRIUM_URL=https://eu.example\n' +
      'ATRIUM_ACCESS_KEY_ID=AK1\n' +
      'ATRIUM_ACCESS_KEY_SECRET=s\n',
  )
})
