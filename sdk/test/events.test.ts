import { describe, expect, it, vi } from 'vitest'
import packageJson from '../package.json'
import { uuid } from '../src/index'
import { COLLECT, flushed, sent, start, stub, usePage } from './support'

usePage()

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('an event', () => {
  it('carries every field', async () => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-480)
    stub(
      navigator,
      'userAgent',
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    )
    stub(navigator, 'language', 'zh-CN')
    const client = start({ userId: 'u1', deviceId: 'd1', clientVersion: '3.1' })
    client.track('signup', { plan: 'pro' })
    const [data] = await flushed(client)
    expect(data).toEqual({
      log_id: expect.stringMatching(UUID),
      event: 'signup',
      timestamp: 1_760_000_000_000,
      device_id: 'd1',
      user_id: 'u1',
      sdk_type: 'js',
      sdk_version: '0.2.4',
      timezone_offset: 8,
      os: 'Linux',
      language: 'zh-CN',
      url_path: '/start',
      device_type: 'PC',
      browser: 'Firefox',
      browser_version: '140.0',
      user_agent: navigator.userAgent,
      client_version: '3.1',
      source: 'web',
      properties: { plan: 'pro' },
    })
    expect(sent[0]!.url).toBe(COLLECT)
    expect(sent[0]!.body).toMatchObject({ app_key: 'ck_test', messages: [{ type: 'Event' }] })
  })

  it('has a log id of its own', async () => {
    const client = start()
    client.track('a')
    client.track('a')
    const [first, second] = await flushed(client)
    expect(first!.log_id).not.toBe(second!.log_id)
  })

  it.each([
    [-345, 5.75],
    [210, -3.5],
    [0, 0],
  ])('turns an offset of %d minutes into %d hours', async (minutes, hours) => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(minutes)
    const client = start()
    client.track('a')
    expect((await flushed(client))[0]!.timezone_offset).toBe(hours)
  })

  it('names its source, and a user only when there is one', async () => {
    const client = start({ source: 'kiosk' })
    client.track('a')
    client.setUserId('u2')
    client.track('b')
    client.setUserId(null)
    client.track('c')
    const [a, b, c] = await flushed(client)
    expect(a).toMatchObject({ source: 'kiosk' })
    expect(a).not.toHaveProperty('user_id')
    expect(b).toMatchObject({ user_id: 'u2' })
    expect(c).not.toHaveProperty('user_id')
  })

  it('keeps the properties as they were when it was tracked', async () => {
    const client = start()
    const cart = { items: 1 }
    client.track('a', cart)
    cart.items = 2
    expect((await flushed(client))[0]!.properties).toEqual({ items: 1 })
  })
})

describe('properties that cannot be encoded', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle

  it.each([
    ['a cycle', cycle],
    ['a BigInt', { n: BigInt(1) }],
    [
      'a getter that throws',
      {
        get x() {
          throw new Error('no')
        },
      },
    ],
  ])('cost the event only them: %s', async (_, properties) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const client = start({ debug: true })
    client.track('a', properties)
    client.pageView(properties)
    const [a, view] = await flushed(client)
    expect(a).toMatchObject({ event: 'a', properties: {} })
    expect(view).toMatchObject({ event: 'page_view', properties: { referrer: 'unknown' } })
    expect(warn).toHaveBeenCalledTimes(2)
  })

  it('are not mentioned without debug', async () => {
    const warn = vi.spyOn(console, 'warn')
    const client = start()
    client.track('a', cycle)
    await flushed(client)
    expect(warn).not.toHaveBeenCalled()
  })

  it('become null where they are numbers without a value', async () => {
    const client = start()
    client.track('a', { n: NaN, m: Infinity })
    expect((await flushed(client))[0]!.properties).toEqual({ n: null, m: null })
  })

  it('never leave half of an emoji, which strict readers refuse', async () => {
    const client = start()
    client.track('a', { cut: '👍'.slice(0, 1), whole: '👍', path: 'C:\\ud83d' })
    const [data] = await flushed(client)
    expect(data!.properties).toEqual({ cut: '\ufffd', whole: '👍', path: 'C:\\ud83d' })
  })
})

describe('the device id', () => {
  it('is generated once and kept in local storage', async () => {
    const client = start()
    client.track('a')
    const [data] = await flushed(client)
    expect(data!.device_id).toMatch(UUID)
    expect(localStorage.getItem('atrium_device_id')).toBe(data!.device_id)
    expect(start().getDeviceId()).toBe(data!.device_id)
  })

  it('can be set, and set back', () => {
    const client = start()
    const generated = client.getDeviceId()
    client.setDeviceId('mine')
    expect(client.getDeviceId()).toBe('mine')
    client.setDeviceId(null)
    expect(client.getDeviceId()).toBe(generated)
  })

  it('lasts as long as the page where local storage throws', async () => {
    const denied = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(denied)
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(denied)
    vi.spyOn(Storage.prototype, 'removeItem').mockImplementation(denied)
    const client = start()
    client.track('a')
    client.track('b')
    const [a, b] = await flushed(client)
    expect(a!.device_id).toMatch(UUID)
    expect(b!.device_id).toBe(a!.device_id)
    client.optOut()
    expect(client.isOptedOut()).toBe(true)
    client.optIn()
    expect(client.isOptedOut()).toBe(false)
  })
})

it('never throws into the page, even without random values', async () => {
  const client = start()
  vi.stubGlobal('crypto', {})
  expect(() => uuid()).toThrow()
  expect(() => client.track('a')).not.toThrow()
  expect(() => client.pageView()).not.toThrow()
  expect(() => client.buttonClick(null as never)).not.toThrow()
  expect(() => client.getDeviceId()).not.toThrow()
  await expect(client.flush()).resolves.toBeUndefined()
  expect(sent).toEqual([])
})

it('reports the version of the package', async () => {
  const client = start()
  client.track('a')
  expect((await flushed(client))[0]!.sdk_version).toBe(packageJson.version)
})
