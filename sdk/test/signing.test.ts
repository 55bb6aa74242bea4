import { createHmac, webcrypto } from 'node:crypto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { SignRequest } from '../src/index'
import {
  answers,
  flushed,
  hidePage,
  messages,
  pass,
  sent,
  settle,
  start,
  until,
  usePage,
} from './support'
import type { Sent } from './support'

usePage()

const KEY = { accessKeyId: 'AKTEST', accessKeySecret: 'sécret-秘密', appKey: undefined }

beforeEach(() => {
  vi.stubGlobal('crypto', webcrypto)
})

function expected({ init, headers, raw }: Sent): string {
  return createHmac('sha256', KEY.accessKeySecret)
    .update(
      [
        init.method,
        '/v1/collect',
        headers['X-Access-Key-Id'],
        headers['X-Nonce'],
        headers['X-Timestamp'],
        raw,
      ].join('\n'),
    )
    .digest('base64')
}

describe('with credentials', () => {
  it('events go signed by fetch, though there is a beacon', async () => {
    const client = start(KEY)
    client.track('事件', { name: '值 👍' })
    await flushed(client)
    const [request] = sent as [Sent]
    expect(request).toMatchObject({
      via: 'fetch',
      init: { method: 'POST' },
      headers: {
        'Content-Type': 'application/json',
        'X-Timestamp': '1760000000000',
        'X-Nonce': expect.stringMatching(/^\d{6}$/),
        'X-Access-Key-Id': 'AKTEST',
      },
    })
    expect(request.headers['X-Signature']).toBe(expected(request))
    expect(request.body).not.toHaveProperty('app_key')
  })

  it('leave the app key out even where there is one', async () => {
    const client = start({ ...KEY, appKey: 'ck_test' })
    client.track('a')
    await flushed(client)
    expect(sent[0]!.raw).not.toContain('ck_test')
    expect(sent[0]!.headers['X-Signature']).toBe(expected(sent[0]!))
  })

  it('GET signs the query as it is sent', async () => {
    const client = start({ ...KEY, method: 'GET' })
    client.track('a b', { text: '值&=' })
    await flushed(client)
    expect(sent[0]!.raw).toMatch(/^messages=/)
    expect(sent[0]!.headers['X-Signature']).toBe(expected(sent[0]!))
  })

  it('a retry is signed afresh and keeps its log ids', async () => {
    answers.push(503)
    const client = start(KEY)
    client.track('a')
    await flushed(client)
    await pass(1000)
    await until(() => sent.length === 2)
    const [first, second] = sent as [Sent, Sent]
    expect(second.headers['X-Nonce']).not.toBe(first.headers['X-Nonce'])
    expect(second.headers['X-Timestamp']).not.toBe(first.headers['X-Timestamp'])
    expect(second.headers['X-Signature']).toBe(expected(second))
    expect(second.raw).toBe(first.raw)
  })

  it('a page that goes signs and sends what it has', async () => {
    const client = start(KEY)
    client.track('a')
    hidePage()
    await until(() => sent.length === 1)
    expect(sent).toMatchObject([{ via: 'fetch', init: { keepalive: true } }])
  })

  it('the nonce has six digits, also when it begins with zeros', async () => {
    vi.stubGlobal('crypto', {
      subtle: webcrypto.subtle,
      getRandomValues: (array: Uint8Array | Uint32Array) => array.fill(42),
    })
    const client = start(KEY)
    client.track('a')
    await flushed(client)
    expect(sent[0]!.headers['X-Nonce']).toBe('000042')
  })
})

describe('where the browser cannot sign', () => {
  beforeEach(() => {
    vi.stubGlobal('crypto', {
      getRandomValues: <A extends Uint8Array>(array: A) => webcrypto.getRandomValues(array),
    })
  })

  it('nothing is collected, and the console says so once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const client = start(KEY)
    client.track('a')
    client.deviceMutation('set', { a: 1 })
    await flushed(client)
    expect(sent).toEqual([])
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toContain('secure connection')
  })

  it('events go with the app key where there is one, and mutations are refused', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const client = start({ ...KEY, appKey: 'ck_test' })
    client.track('a')
    client.deviceMutation('set', { a: 1 })
    await flushed(client)
    expect(sent).toMatchObject([{ via: 'beacon', body: { app_key: 'ck_test' } }])
    expect(messages()).toHaveLength(1)
    expect(warn).toHaveBeenCalledTimes(2)
  })
})

describe('with sign()', () => {
  it('the page has its own server sign', async () => {
    const sign = vi.fn(async (_: SignRequest) => ({ 'X-Signature': 'theirs' }))
    const client = start({ sign, appKey: undefined })
    client.track('a')
    await flushed(client)
    expect(sent).toMatchObject([
      {
        via: 'fetch',
        headers: { 'X-Signature': 'theirs', 'Content-Type': 'application/json' },
      },
    ])
    expect(sign).toHaveBeenCalledWith({
      method: 'POST',
      path: '/v1/collect',
      payload: sent[0]!.raw,
    })
  })

  it('may answer at once, and wins over credentials', async () => {
    const client = start({ ...KEY, sign: () => ({ 'X-Signature': 'theirs' }) })
    client.track('a')
    await flushed(client)
    expect(sent[0]!.headers['X-Signature']).toBe('theirs')
  })

  it('is asked again later when it fails', async () => {
    let calls = 0
    const sign = () => {
      if (++calls === 1) throw new Error('signed out')
      return calls === 2 ? Promise.reject(new Error('signed out')) : { 'X-Signature': 'x' }
    }
    const client = start({ sign })
    client.track('a')
    await flushed(client)
    await pass(1000)
    expect(sent).toEqual([])
    await pass(2000)
    expect(sent).toHaveLength(1)
  })

  it('is not raced against a page that goes: messages wait for it or for the next page', async () => {
    const sign = vi.fn(() => ({ 'X-Signature': 'x' }))
    const client = start({ sign })
    client.track('a')
    hidePage()
    await settle()
    expect(sign).not.toHaveBeenCalled()
    await pass(2000)
    expect(sent).toHaveLength(1)

    client.track('b')
    hidePage()
    await settle()
    client.close()
    start({ sign })
    await settle()
    expect(sent).toHaveLength(2)
  })
})

describe('mutations', () => {
  it('carry their fields and go signed', async () => {
    const client = start({ ...KEY, deviceId: 'd1', userId: 'u1' })
    client.deviceMutation('set_once', { color: 'red' })
    client.userMutation('increment', { visits: 1 })
    client.userMutation('delete')
    await flushed(client)
    expect(sent[0]!.headers['X-Signature']).toBe(expected(sent[0]!))
    const common = {
      log_id: expect.any(String),
      timestamp: 1_760_000_000_000,
      sdk_type: 'js',
      sdk_version: '0.2.4',
    }
    expect(messages()).toEqual([
      {
        type: 'DeviceMutation',
        data: { ...common, operation: 'set_once', id: 'd1', properties: { color: 'red' } },
      },
      {
        type: 'UserMutation',
        data: { ...common, operation: 'increment', id: 'u1', properties: { visits: 1 } },
      },
      { type: 'UserMutation', data: { ...common, operation: 'delete', id: 'u1', properties: {} } },
    ])
  })

  it('have a function for each operation', async () => {
    const client = start({ ...KEY, userId: 'u1' })
    for (const target of [client.device, client.user]) {
      target.set({ a: 1 })
      target.setOnce({ a: 1 })
      target.unset({ a: null })
      target.increment({ a: 1 })
      target.append({ a: 1 })
      target.delete()
    }
    await flushed(client)
    const operations = ['set', 'set_once', 'unset', 'increment', 'append', 'delete']
    expect(messages().map(({ type, data }) => [type, data.operation])).toEqual([
      ...operations.map((operation) => ['DeviceMutation', operation]),
      ...operations.map((operation) => ['UserMutation', operation]),
    ])
  })

  it('are refused without credentials or sign()', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const client = start({ userId: 'u1' })
    client.deviceMutation('set', { a: 1 })
    client.userMutation('set', { a: 1 })
    await flushed(client)
    expect(sent).toEqual([])
    expect(warn).toHaveBeenCalledTimes(2)
  })

  it('of a user are refused before there is one, in Chinese', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const client = start(KEY)
    expect(() => client.userMutation('set', { a: 1 })).not.toThrow()
    client.user.set({ a: 1 })
    await flushed(client)
    expect(sent).toEqual([])
    expect(warn.mock.calls).toEqual([
      ['[atrium] 请先通过 setUserId 设置用户 ID,再上报用户属性'],
      ['[atrium] 请先通过 setUserId 设置用户 ID,再上报用户属性'],
    ])
  })
})
