import { describe, expect, it, vi } from 'vitest'
import {
  answers,
  COLLECT,
  events,
  flushed,
  hidePage,
  messages,
  pass,
  sent,
  setBeacon,
  start,
  stub,
  usePage,
} from './support'

usePage()

describe('events', () => {
  it('go by beacon, as text that needs no preflight', async () => {
    const client = start()
    client.track('a')
    await flushed(client)
    expect(sent).toMatchObject([{ via: 'beacon', url: COLLECT }])
    expect(navigator.sendBeacon).toBeTypeOf('function')
    expect(sent[0]!.raw).toBeTypeOf('string')
    expect(sent[0]!.body).toMatchObject({ app_key: 'ck_test', messages: [{ type: 'Event' }] })
  })

  it.each([
    ['there is none', undefined],
    ['it is refused', false],
  ])('go by fetch where %s', async (_, answer) => {
    setBeacon(answer)
    const client = start()
    client.track('a')
    await flushed(client)
    expect(sent).toMatchObject([
      { via: 'fetch', url: COLLECT, init: { method: 'POST', credentials: 'omit' } },
    ])
    // Any header would trigger a preflight.
    expect(sent[0]!.headers).toEqual({})
    expect(sent[0]!.init.keepalive).toBeFalsy()
  })

  it('go by fetch where the beacon throws', async () => {
    stub(navigator, 'sendBeacon', () => {
      throw new TypeError('no')
    })
    const client = start()
    client.track('a')
    await flushed(client)
    await pass(1000)
    expect(sent).toMatchObject([{ via: 'fetch' }])
  })

  it('go as query parameters with GET', async () => {
    setBeacon(undefined)
    const client = start({ method: 'GET', appKey: 'ck_&' })
    client.track('a b&c', { 名: '值' })
    await flushed(client)
    const [{ url, init, body }] = sent as [(typeof sent)[0]]
    expect(url.split('?')[0]).toBe(COLLECT)
    expect(init).toMatchObject({ method: 'GET', body: undefined })
    expect(body).toMatchObject({
      app_key: 'ck_&',
      messages: [{ data: { event: 'a b&c', properties: { 名: '值' } } }],
    })
  })

  it('are spread over addresses that servers take', async () => {
    setBeacon(undefined)
    const client = start({ method: 'GET' })
    for (let n = 0; n < 15; n++) client.track('事件', { n, text: '文'.repeat(20) })
    await flushed(client)
    expect(sent.length).toBeGreaterThan(1)
    for (const { url } of sent) expect(url.length).toBeLessThan(7000)
    expect(messages().map(({ data }) => data.properties.n)).toEqual([...Array(15).keys()])
  })

  it('do not read the answer', async () => {
    setBeacon(undefined)
    const response = new Response('{"data":{}}')
    answers.push(response)
    const client = start()
    client.track('a')
    await flushed(client)
    expect(response.bodyUsed).toBe(false)
  })

  it('go to the path below the url, however it ends', async () => {
    for (const url of ['https://in.example/', 'https://in.example/base//', '/']) {
      const client = start({ url })
      client.track('a')
      await flushed(client)
    }
    expect(sent.map(({ url }) => url)).toEqual([
      COLLECT,
      'https://in.example/base/v1/collect',
      'https://shop.example/v1/collect',
    ])
  })
})

describe('batches', () => {
  it('wait for 2 seconds', async () => {
    const client = start()
    client.track('a')
    await pass(1500)
    client.track('b')
    await pass(499)
    expect(sent).toEqual([])
    await pass(1)
    expect(sent).toHaveLength(1)
    expect(events()).toEqual(['a', 'b'])
  })

  it('go at once with 20 messages', () => {
    const client = start()
    for (let n = 0; n < 20; n++) client.track('a')
    expect(sent).toHaveLength(1)
    client.track('b')
    expect(sent).toHaveLength(1)
  })

  it('can be of another size and delay', async () => {
    const client = start({ batch: { size: 2, delay: 10 } })
    client.track('a')
    client.track('b')
    expect(sent).toHaveLength(1)
    client.track('c')
    await pass(10)
    expect(sent).toHaveLength(2)
  })

  it('keep their size where only the delay is given', () => {
    const client = start({ batch: { delay: 10 } })
    for (let n = 0; n < 20; n++) client.track('a')
    expect(sent).toHaveLength(1)
  })
})

describe('a page that goes', () => {
  it('sends when it is hidden, before anything else can happen', () => {
    const client = start()
    client.track('a')
    hidePage()
    expect(sent).toMatchObject([{ via: 'beacon' }])
  })

  it('sends when it is left', () => {
    const client = start()
    client.track('a')
    window.dispatchEvent(new Event('pagehide'))
    expect(sent).toMatchObject([{ via: 'beacon' }])
  })

  it('does not send when it is shown', () => {
    const client = start()
    client.track('a')
    document.dispatchEvent(new Event('visibilitychange'))
    expect(sent).toEqual([])
  })

  it('keeps its chunks below what a beacon takes', () => {
    const client = start({ batch: { size: 100 } })
    for (let n = 0; n < 12; n++) client.track('a', { n, text: '文'.repeat(4000) })
    hidePage()
    expect(sent.length).toBeGreaterThan(1)
    for (const { raw } of sent) expect(Buffer.byteLength(raw)).toBeLessThan(60 * 1024)
    expect(messages().map(({ data }) => data.properties.n)).toEqual([...Array(12).keys()])
  })

  it('falls back to a fetch that outlives it', () => {
    setBeacon(false)
    const client = start()
    client.track('a')
    hidePage()
    expect(sent).toMatchObject([{ via: 'fetch', init: { keepalive: true } }])
  })

  it('does not ask for more than browsers keep alive', () => {
    setBeacon(false)
    const client = start()
    client.track('a', { text: 'x'.repeat(70_000) })
    hidePage()
    expect(sent).toMatchObject([{ via: 'fetch', init: { keepalive: false } }])
  })

  it('leaves what both refuse for the next page', async () => {
    setBeacon(false)
    answers.push(new TypeError('quota'))
    const client = start()
    client.track('a')
    hidePage()
    await pass(0)
    client.close()
    start()
    await pass(0)
    expect(sent).toHaveLength(2)
    expect(events()).toEqual(['a', 'a'])
    expect(messages()[0]!.data.log_id).toBe(messages()[1]!.data.log_id)
  })
})

it('fetch without a fetch throws nothing into the page', async () => {
  setBeacon(undefined)
  vi.stubGlobal('fetch', undefined)
  const client = start()
  client.track('a')
  await expect(client.flush()).resolves.toBeUndefined()
})
