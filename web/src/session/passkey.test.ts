import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../api/errors'
import { chosenPasskey, createPasskey, passkeysAutofill, passkeysSupported } from './passkey'

const conditional = vi.fn<() => Promise<boolean>>()
const parse = (json: unknown) => json

/** happy-dom supports none of this. */
function installPasskeys(parts: Record<string, unknown> = {}) {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PublicKeyCredential', {
    parseRequestOptionsFromJSON: parse,
    parseCreationOptionsFromJSON: parse,
    isConditionalMediationAvailable: conditional,
    ...parts,
  })
}

const get = vi.fn()
const create = vi.fn()
beforeEach(() => {
  vi.stubGlobal('navigator', { ...window.navigator, credentials: { get, create } })
})
afterEach(() => [get, create, conditional].forEach((mock) => mock.mockReset()))

describe('passkeys', () => {
  it('are not offered by a browser that has none, or an old form of them', () => {
    expect(passkeysSupported('atrium.example', 'atrium.example')).toBe(false)
    installPasskeys({ parseRequestOptionsFromJSON: undefined })
    expect(passkeysSupported('atrium.example', 'atrium.example')).toBe(false)
  })

  it('need the domain that the server names, and a secure connection', () => {
    installPasskeys()
    expect(passkeysSupported('atrium.example', 'atrium.example')).toBe(true)
    expect(passkeysSupported('example', 'atrium.example')).toBe(true)
    expect(passkeysSupported('localhost', '127.0.0.1')).toBe(false)
    expect(passkeysSupported('ample', 'atrium.example')).toBe(false)
    expect(passkeysSupported(null, 'atrium.example')).toBe(false)
    vi.stubGlobal('isSecureContext', false)
    expect(passkeysSupported('atrium.example', 'atrium.example')).toBe(false)
  })

  it('are offered in the field where the browser says it can', async () => {
    installPasskeys()
    conditional.mockResolvedValue(true)
    expect(await passkeysAutofill()).toBe(true)
    conditional.mockResolvedValue(false)
    expect(await passkeysAutofill()).toBe(false)
    installPasskeys({ isConditionalMediationAvailable: undefined })
    expect(await passkeysAutofill()).toBe(false)
  })
})

describe('asking the browser', () => {
  const options = { challenge: 'AAAA' } as PublicKeyCredentialRequestOptionsJSON
  beforeEach(() => installPasskeys())

  it('hands the answer over in its JSON form', async () => {
    get.mockResolvedValue({ toJSON: () => ({ id: 'key' }) })
    const { signal } = new AbortController()
    expect(await chosenPasskey(options, { signal, inAutofill: true })).toEqual({ id: 'key' })
    expect(get).toHaveBeenCalledWith({ publicKey: options, mediation: 'conditional', signal })
  })

  it.each(['NotAllowedError', 'AbortError'])('is silent about a refusal (%s)', async (name) => {
    get.mockRejectedValue(new DOMException('no', name))
    const failure = await chosenPasskey(options).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ code: 'passkey_cancelled', message: '' })
  })

  it.each([
    ['SecurityError', '通行密钥不能在当前网址使用，请从 Atrium 的正式网址打开。'],
    ['InvalidStateError', '这台设备上已有你的通行密钥。'],
    ['UnknownError', '通行密钥验证未成功，请重试或换一种方式。'],
  ])('says what a person can do about %s', async (name, text) => {
    create.mockRejectedValue(new DOMException('no', name))
    await expect(createPasskey({} as PublicKeyCredentialCreationOptionsJSON)).rejects.toMatchObject(
      { code: 'passkey_failed', message: text },
    )
  })
})
