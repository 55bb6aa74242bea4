import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  answers,
  events,
  flushed,
  goOffline,
  messages,
  pass,
  sent,
  setBeacon,
  start,
  usePage,
} from './support'

usePage()

beforeEach(() => {
  setBeacon(undefined)
  vi.spyOn(Math, 'random').mockReturnValue(1)
})

function fail(): Error {
  return new TypeError('cut off')
}

describe('what is tried again', () => {
  it.each([fail(), 408, 429, 500, 502, 503])('%s', async (answer) => {
    answers.push(answer)
    const client = start()
    client.track('a')
    await flushed(client)
    expect(sent).toHaveLength(1)
    await pass(1000)
    expect(sent).toHaveLength(2)
    expect(messages()[1]).toEqual(messages()[0])
    await pass(600_000)
    expect(sent).toHaveLength(2)
  })

  it.each([400, 401, 403, 404, 410, 415, 422])('not: %d', async (status) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    answers.push(status)
    const client = start({ debug: true })
    client.track('a')
    await flushed(client)
    await pass(600_000)
    expect(sent).toHaveLength(1)
    expect(warn.mock.calls.join()).toContain(String(status))
  })
})

describe('the wait', () => {
  it('doubles from 1 s to 60 s', async () => {
    answers.push(...Array.from({ length: 9 }, fail))
    const client = start()
    client.track('a')
    await flushed(client)
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const before = sent.length
      await pass(seconds * 1000 - 1)
      expect(sent).toHaveLength(before)
      await pass(1)
      expect(sent).toHaveLength(before + 1)
    }
  })

  it('is up to half as long, by chance', async () => {
    vi.mocked(Math.random).mockReturnValue(0)
    answers.push(fail())
    const client = start()
    client.track('a')
    await flushed(client)
    await pass(499)
    expect(sent).toHaveLength(1)
    await pass(1)
    expect(sent).toHaveLength(2)
  })

  it('starts anew after a success', async () => {
    answers.push(fail(), fail(), 200, fail())
    const client = start()
    client.track('a')
    await flushed(client)
    await pass(1000)
    await pass(2000)
    expect(sent).toHaveLength(3)
    client.track('b')
    await client.flush()
    await pass(1000)
    expect(sent).toHaveLength(5)
  })

  it.each([
    ['seconds', '30'],
    ['a date', new Date(1_760_000_030_000).toUTCString()],
  ])('is what Retry-After asks for, in %s', async (_, value) => {
    answers.push(new Response(null, { status: 429, headers: { 'Retry-After': value } }))
    const client = start()
    client.track('a')
    await flushed(client)
    await pass(29_999)
    expect(sent).toHaveLength(1)
    await pass(1)
    expect(sent).toHaveLength(2)
  })

  it.each(['soon', '0', '-5'])('survives a Retry-After of %s', async (value) => {
    answers.push(new Response(null, { status: 503, headers: { 'Retry-After': value } }))
    const client = start()
    client.track('a')
    await flushed(client)
    expect(sent).toHaveLength(1)
    await pass(3600_000)
    expect(sent).toHaveLength(2)
  })

  it('is an hour at most: timers cannot count very far', async () => {
    answers.push(new Response(null, { status: 429, headers: { 'Retry-After': '99999999999' } }))
    const client = start()
    client.track('a')
    await flushed(client)
    await pass(3599_999)
    expect(sent).toHaveLength(1)
    await pass(1)
    expect(sent).toHaveLength(2)
  })

  it('holds new messages back as well', async () => {
    answers.push(429)
    const client = start({ batch: { size: 1 } })
    client.track('a')
    await pass(0)
    client.track('b')
    await pass(999)
    expect(events()).toEqual(['a'])
    await pass(1)
    expect(events()).toEqual(['a', 'a', 'b'])
    expect(sent).toHaveLength(2)
  })

  it('ends when the network comes back', async () => {
    answers.push(fail(), fail(), fail())
    const client = start()
    client.track('a')
    await flushed(client)
    await pass(1000)
    await pass(2000)
    expect(sent).toHaveLength(3)
    goOffline(false)
    await pass(0)
    expect(sent).toHaveLength(4)
  })
})

describe('a batch that is too large', () => {
  it('is split in halves until it fits', async () => {
    answers.push(413, 413)
    const client = start()
    for (const event of ['a', 'b', 'c', 'd']) client.track(event)
    await flushed(client)
    expect(sent.map(({ body }) => body.messages.map(({ data }) => data.event).join(''))).toEqual([
      'abcd',
      'ab',
      'cd',
      'a',
      'b',
    ])
  })

  it('is dropped where it is one message', async () => {
    answers.push(413)
    const client = start()
    client.track('a')
    await flushed(client)
    await pass(120_000)
    expect(sent).toHaveLength(1)
  })
})
