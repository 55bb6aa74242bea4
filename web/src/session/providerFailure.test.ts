import { describe, expect, it } from 'vitest'
import { t } from '../i18n/store'
import { readPack } from '../testing/packs'
import { PROVIDER_FAILURES, providerFailureText } from './providerFailure'
import { SIGN_IN_PROVIDERS, readSignInProvider } from './signInProviders'

const packs = [readPack('zh-CN'), readPack('en-US')]

describe('a failed sign-in at a provider', () => {
  it.each(PROVIDER_FAILURES)('has words for %s, of its own', (code) => {
    expect(providerFailureText(t, code)).toBe(packs[0]![`provider.failed.${code}`])
    for (const pack of packs) {
      expect(pack[`provider.failed.${code}`]).toBeDefined()
      expect(pack[`provider.failed.${code}`]).not.toBe(pack['provider.failed.unknown'])
    }
  })

  it('has no two codes with the same words', () => {
    for (const pack of packs) {
      const texts = PROVIDER_FAILURES.map((code) => pack[`provider.failed.${code}`])
      expect(new Set(texts).size).toBe(PROVIDER_FAILURES.length)
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
    expect(providerFailureText(t, text)).toBe('操作没有完成，请重试。')
  })
})

describe('a provider', () => {
  it('is one of those there are', () => {
    for (const provider of SIGN_IN_PROVIDERS) expect(readSignInProvider(provider)).toBe(provider)
    for (const other of [null, '', 'SSO', 'sso ', '__proto__', 'dingtalk', 'length']) {
      expect(readSignInProvider(other)).toBeNull()
    }
  })
})
