import { describe, expect, it } from 'vitest'
import type { SsoSettings, SsoTestStep } from '../../../api/sso'
import { t } from '../../../i18n/store'
import { readPack } from '../../../testing/packs'
import { stepName, stepProblem, TEST_CODES, TEST_STEPS } from './testSteps'
import { changeOf, isDomain, isIssuer, needsSecret, valuesOf } from './values'

const SSO: SsoSettings = {
  configured: true,
  enabled: true,
  enforced: true,
  issuer: 'https://id.acme.example',
  client_id: 'atrium',
  has_secret: true,
  default_role: 'member',
  redirect_uri: 'https://atrium.example/api/v1/sso/callback',
  domains: [],
  linked_members: 3,
  unlinked_members: 2,
  only_way_members: 1,
  updated_at: null,
}

describe('an issuer', () => {
  it.each([
    'https://id.acme.example',
    'https://id.acme.example/',
    ' https://id.acme.example:8443/realms/main ',
    'http://127.0.0.1:4000',
  ])('can be %s', (text) => expect(isIssuer(text)).toBe(true))

  it.each([
    '',
    'id.acme.example',
    'ftp://id.acme.example',
    'javascript:alert(1)',
    'https://',
    'https://user@id.acme.example',
    'https://user:secret@id.acme.example',
    'https://id.acme.example?x=1',
    'https://id.acme.example/?',
    'https://id.acme.example/#top',
    'https://id.acme.example#',
  ])('cannot be %j', (text) => expect(isIssuer(text)).toBe(false))
})

describe('a domain', () => {
  it.each(['acme.example', 'eu.acme.example', 'ACME.example', '公司.中国', ' acme.example '])(
    'can be %s',
    (text) => expect(isDomain(text)).toBe(true),
  )
  it.each(['', 'acme', 'anna@acme.example', 'https://acme.example', 'acme .example', '.example'])(
    'cannot be %j',
    (text) => expect(isDomain(text)).toBe(false),
  )
})

describe('the secret', () => {
  it('is never among the values that are shown', () => {
    expect(valuesOf(SSO).client_secret).toBe('')
  })

  it('is left out where it was not typed, so that the stored one stays', () => {
    expect('client_secret' in changeOf(valuesOf(SSO))).toBe(false)
    expect(changeOf({ ...valuesOf(SSO), client_secret: ' s p ' }).client_secret).toBe(' s p ')
  })

  it('is wanted for a first provider, and for another issuer', () => {
    expect(needsSecret(SSO, SSO.issuer)).toBe(false)
    expect(needsSecret(SSO, ` ${SSO.issuer} `)).toBe(false)
    expect(needsSecret(SSO, `${SSO.issuer}/`)).toBe(true)
    expect(needsSecret({ ...SSO, has_secret: false }, SSO.issuer)).toBe(true)
  })
})

it('forces nobody to use what is switched off', () => {
  expect(changeOf({ ...valuesOf(SSO), enabled: false })).toMatchObject({
    enabled: false,
    enforced: false,
  })
})

describe('a step of the test', () => {
  const step = (step: string, code: string | null = null) =>
    ({ step, state: 'failed', code, detail: null }) as SsoTestStep
  const packs = [readPack('zh-CN'), readPack('en-US')]

  it.each(TEST_STEPS)('%s has a name', (name) => {
    for (const pack of packs) expect(pack[`sso.test.step.${name}`]).toBeDefined()
    expect(stepName(t, step(name))).toBe(packs[0]![`sso.test.step.${name}`])
  })

  it.each(TEST_CODES)('%s has words, and what to do about it', (code) => {
    for (const pack of packs) {
      expect(pack[`sso.test.code.${code}`]).toBeDefined()
      expect(pack[`sso.test.fix.${code}`]).toBeDefined()
    }
    expect(stepProblem(t, step('keys', code)).what).toBe(packs[0]![`sso.test.code.${code}`])
  })

  it.each(['later_code', '__proto__', '', null])('%j is unexpected', (code) => {
    expect(stepProblem(t, step('keys', code))).toEqual(stepProblem(t, step('keys', 'unexpected')))
  })
})
