import { describe, expect, it, vi } from 'vitest'
import { createStore, type Item } from '../src/store'
import {
  answers,
  events,
  flushed,
  goOffline,
  hidePage,
  messages,
  pass,
  sent,
  settle,
  start,
  until,
  usePage,
} from './support'

usePage()

const DAY = 24 * 3600 * 1000

async function kept(key = 'ck_test'): Promise<Item[]> {
  let items: Item[] = []
  await createStore(key)((all) => (items = all))
  return items
}

describe('while the browser is offline', () => {
  it('nothing is sent, not even by a beacon that would say yes', async () => {
    goOffline(true)
    const client = start()
    client.track('a')
    await flushed(client)
    client.track('b')
    hidePage()
    await settle()
    expect(sent).toEqual([])
    expect((await kept()).map(({ json }) => JSON.parse(json).data.event)).toEqual(['a', 'b'])
  })

  it('messages wait for the network, and then go in order and by fetch', async () => {
    goOffline(true)
    const client = start()
    client.track('a')
    await pass(2000)
    client.track('b')
    await pass(2000)
    goOffline(false)
    await settle()
    expect(sent).toMatchObject([{ via: 'fetch' }])
    expect(events()).toEqual(['a', 'b'])
    expect(await kept()).toEqual([])
  })

  it('messages wait for the next page', async () => {
    goOffline(true)
    const client = start()
    client.track('a')
    await flushed(client)
    client.close()
    goOffline(false)
    await settle()
    expect(sent).toEqual([])
    start()
    await settle()
    expect(events()).toEqual(['a'])
  })

  it('messages of another app stay its own', async () => {
    goOffline(true)
    const client = start({ appKey: 'ck_one' })
    client.track('a')
    await flushed(client)
    client.close()
    goOffline(false)
    start({ appKey: 'ck_two' })
    await settle()
    expect(sent).toEqual([])
    expect(await kept('ck_one')).toHaveLength(1)
  })
})

describe('the queue', () => {
  it('keeps the newest 1,000 messages', async () => {
    goOffline(true)
    const client = start()
    for (let n = 0; n < 1030; n++) {
      vi.setSystemTime(1_760_000_000_000 + n)
      client.track('a', { n })
    }
    await flushed(client)
    await settle()
    const items = await kept()
    expect(items).toHaveLength(1000)
    expect(JSON.parse(items[0]!.json).data.properties.n).toBe(30)
  })

  it('keeps a message for 7 days, however often it fails', async () => {
    goOffline(true)
    const client = start()
    client.track('old')
    await flushed(client)
    client.close()
    vi.setSystemTime(Date.now() + 6 * DAY)
    goOffline(false)
    answers.push(503)
    const next = start()
    await settle()
    expect(events()).toEqual(['old'])
    next.track('new')
    await flushed(next)
    next.close()
    vi.setSystemTime(Date.now() + 1 * DAY + 1)
    start()
    await settle()
    expect(events()).toEqual(['old', 'new'])
  })

  it('is sent once by two tabs that start together', async () => {
    goOffline(true)
    const client = start()
    for (let n = 0; n < 300; n++) client.track('a', { n })
    await flushed(client)
    client.close()
    goOffline(false)
    start()
    start()
    await settle()
    await settle()
    const ids = messages().map(({ data }) => data.log_id)
    expect(ids).toHaveLength(300)
    expect(new Set(ids).size).toBe(300)
    for (const { raw } of sent) expect(raw.length).toBeLessThan(60_000)
  })

  it('stops at the first failure and puts back what it took, where it was', async () => {
    goOffline(true)
    const client = start()
    for (let n = 0; n < 300; n++) {
      vi.setSystemTime(1_760_000_000_000 + n)
      client.track('a', { n })
    }
    await flushed(client)
    answers.push(503)
    goOffline(false)
    await settle()
    expect(sent).toHaveLength(1)
    const numbers = (await kept()).map(({ json }) => JSON.parse(json).data.properties.n)
    expect(numbers).toEqual([...Array(300).keys()])
    await pass(1000)
    await settle()
    expect(new Set(messages().map(({ data }) => data.log_id)).size).toBe(300)
    expect(await kept()).toHaveLength(0)
  })

  it('goes out one request at a time', async () => {
    goOffline(true)
    const client = start()
    for (let n = 0; n < 300; n++) client.track('a', { n })
    await flushed(client)
    let running = 0
    let most = 0
    let arrived = 0
    vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
      most = Math.max(most, ++running)
      await settle()
      running--
      arrived += JSON.parse(body).messages.length
      return new Response()
    })
    goOffline(false)
    client.flush()
    await until(() => arrived === 300)
    expect(arrived).toBe(300)
    expect(most).toBe(1)
  })

  it.each([
    ['missing', undefined],
    [
      'forbidden',
      {
        open() {
          throw new DOMException('denied', 'SecurityError')
        },
      },
    ],
    [
      'broken',
      {
        open() {
          const request = { onerror: () => {} }
          queueMicrotask(() => request.onerror())
          return request
        },
      },
    ],
  ])('is in memory where IndexedDB is %s', async (_, database) => {
    vi.stubGlobal('indexedDB', database)
    goOffline(true)
    const client = start()
    client.track('a')
    await flushed(client)
    client.track('b')
    await flushed(client)
    goOffline(false)
    await settle()
    expect(events()).toEqual(['a', 'b'])
  })

  it('is in memory where the database belongs to someone else', async () => {
    await new Promise((resolve) => {
      const opening = indexedDB.open('atrium', 1)
      opening.onsuccess = () => {
        opening.result.close()
        resolve(undefined)
      }
    })
    goOffline(true)
    const client = start()
    client.track('a')
    await flushed(client)
    goOffline(false)
    await settle()
    expect(events()).toEqual(['a'])
  })
})
