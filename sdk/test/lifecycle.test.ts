import { afterEach, describe, expect, it, vi } from 'vitest'
import { init } from '../src/index'
import type { Client } from '../src/index'
import {
  answers,
  events,
  flushed,
  hidePage,
  messages,
  pass,
  sent,
  setBeacon,
  start,
  usePage,
} from './support'

usePage()

const OPTIONS = { url: 'https://in.example', appKey: 'ck_test' }
let client: Client | undefined

afterEach(() => {
  client?.close()
})

describe('init', () => {
  it('reports page views and clicks by itself', async () => {
    client = init(OPTIONS)
    document.body.innerHTML = '<button>Go</button>'
    document.querySelector('button')!.click()
    await flushed(client)
    expect(events()).toEqual(['page_view', 'button_click'])
  })

  it('called again ends the client before', async () => {
    const first = init(OPTIONS)
    client = init({ ...OPTIONS, pageView: false })
    document.body.innerHTML = '<button>Go</button>'
    document.querySelector('button')!.click()
    first.track('late')
    await flushed(client)
    expect(events()).toEqual(['page_view', 'button_click'])
  })

  it.each([
    [{ url: 'https://in.example' }],
    [{ url: 'https://in.example', accessKeyId: 'AK' }],
    [{ url: 'https://in.example', accessKeySecret: 's' }],
  ])('throws where nothing names the app: %o', (options) => {
    expect(() => init(options)).toThrow('appKey')
  })

  it.each(['https://a b', 'in.example', 'ftp://in.example'])(
    'throws where the url is no address: %s',
    (url) => {
      expect(() => init({ url, appKey: 'ck_test' })).toThrow(TypeError)
    },
  )
})

describe('without an ingest URL', () => {
  it.each([undefined, ''])('nothing is sent and one line says why: %o', async (url) => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { pushState } = history
    client = init({ url, appKey: 'ck_test' })
    client.track('a')
    client.pageView()
    hidePage()
    await flushed(client)
    await pass(10_000)
    expect(sent).toEqual([])
    expect(history.pushState).toBe(pushState)
    expect(log).toHaveBeenCalledTimes(1)
    expect(log.mock.calls[0]![0]).toBe(
      '[atrium] The analytics client does not report in development: no ingest URL is set',
    )
  })
})

describe('close', () => {
  it('sends what gathered and leaves nothing behind', async () => {
    const added = vi.spyOn(EventTarget.prototype, 'addEventListener')
    const windowAdded = vi.spyOn(window, 'addEventListener')
    const removed = vi.spyOn(EventTarget.prototype, 'removeEventListener')
    const windowRemoved = vi.spyOn(window, 'removeEventListener')
    const { pushState } = history
    client = init(OPTIONS)
    client.close()
    expect(events()).toEqual(['page_view'])
    const types = (...calls: unknown[][][]) =>
      calls.flatMap((list) => list.map(([type]) => String(type))).sort()
    const expected = types(added.mock.calls, windowAdded.mock.calls)
    expect(expected).toEqual(
      expect.arrayContaining(['click', 'online', 'pagehide', 'popstate', 'visibilitychange']),
    )
    expect(types(removed.mock.calls, windowRemoved.mock.calls)).toEqual(expected)
    expect(history.pushState).toBe(pushState)
  })

  it('ends collecting', async () => {
    client = start({ pageView: true, clicks: true })
    client.close()
    client.track('a')
    history.pushState(null, '', '/a')
    document.body.innerHTML = '<button>Go</button>'
    document.querySelector('button')!.click()
    await flushed(client)
    await pass(10_000)
    expect(events()).toEqual(['page_view'])
    expect(() => client!.close()).not.toThrow()
  })

  it('leaves what fails on its way to the next client', async () => {
    setBeacon(undefined)
    answers.push(new TypeError('cut off'))
    client = start()
    client.track('a')
    client.close()
    await pass(600_000)
    expect(sent).toHaveLength(1)
    start()
    await pass(0)
    expect(events()).toEqual(['a', 'a'])
  })
})

it('several clients report beside each other', async () => {
  const one = start({ appKey: 'ck_one' })
  const two = start({ appKey: 'ck_two', userId: 'u2' })
  one.track('a')
  two.track('b')
  await flushed(one)
  await flushed(two)
  expect(sent.map(({ body }) => body.app_key)).toEqual(['ck_one', 'ck_two'])
  expect(messages()[0]!.data.device_id).toBe(messages()[1]!.data.device_id)
})

it('listeners of the page are not disturbed by a fault of ours', async () => {
  client = start({ pageView: true, clicks: true })
  vi.stubGlobal('crypto', {})
  const failed = vi.fn()
  window.addEventListener('error', failed)
  document.body.innerHTML = '<button>Go</button>'
  document.querySelector('button')!.click()
  expect(() => history.pushState(null, '', '/a')).not.toThrow()
  window.removeEventListener('error', failed)
  expect(failed).not.toHaveBeenCalled()
})
