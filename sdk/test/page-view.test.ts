import { beforeEach, describe, expect, it, vi } from 'vitest'
import { events, flushed, messages, sent, start, stub, usePage } from './support'

usePage()

const { pushState, replaceState } = history

// The previous test's clients are closed by now.
beforeEach(() => {
  expect(history.pushState).toBe(pushState)
  expect(history.replaceState).toBe(replaceState)
})

const views = () => messages().map(({ data }) => [data.url_path, data.properties.referrer])

describe('page views', () => {
  it('are reported on load', async () => {
    stub(document, 'referrer', 'https://search.example/find?q=shoes')
    await flushed(start({ pageView: true }))
    expect(events()).toEqual(['page_view'])
    expect(views()).toEqual([['/start', 'https://search.example/find?q=shoes']])
  })

  it('are on unless they are switched off', async () => {
    await flushed(start({ pageView: undefined }))
    await flushed(start({ pageView: false }))
    expect(events()).toEqual(['page_view'])
  })

  it('say unknown where there is no referrer', async () => {
    await flushed(start({ pageView: true }))
    expect(views()).toEqual([['/start', 'unknown']])
  })

  it('tell of a page of the same site only its path', async () => {
    stub(document, 'referrer', 'https://shop.example/reset?token=secret')
    await flushed(start({ pageView: true }))
    await flushed(start({ pageView: true, path: () => '/pattern' }))
    expect(views()).toEqual([
      ['/start', 'https://shop.example/reset'],
      ['/pattern', 'https://shop.example'],
    ])
  })

  it('follow client-side navigation, and only to another path', async () => {
    const client = start({ pageView: true })
    history.pushState(null, '', '/a?secret=1#x')
    history.pushState(null, '', '/a?secret=2')
    history.replaceState(null, '', '/a#y')
    history.replaceState(null, '', '/b')
    await flushed(client)
    expect(views()).toEqual([
      ['/start', 'unknown'],
      ['/a', 'https://shop.example/start'],
      ['/b', 'https://shop.example/a'],
    ])
  })

  it('follow the back button', async () => {
    const client = start({ pageView: true })
    history.pushState(null, '', '/a')
    history.back()
    await vi.waitFor(() => expect(location.pathname).toBe('/start'))
    await flushed(client)
    expect(views()).toEqual([
      ['/start', 'unknown'],
      ['/a', 'https://shop.example/start'],
      ['/start', 'https://shop.example/a'],
    ])
  })

  it('by hand take properties, and repeat the referrer while the page is the same', async () => {
    const client = start()
    client.pageView({ section: 'shoes' })
    client.pageView({ referrer: 'https://mine.example' })
    history.pushState(null, '', '/a')
    client.pageView()
    const data = await flushed(client)
    expect(data.map(({ properties }) => properties)).toEqual([
      { referrer: 'unknown', section: 'shoes' },
      { referrer: 'https://mine.example' },
      { referrer: 'https://shop.example/start' },
    ])
  })

  it('of a page loaded ahead of time wait until it is seen', async () => {
    stub(document, 'prerendering', true)
    const client = start({ pageView: true })
    await flushed(client)
    expect(sent).toEqual([])
    document.dispatchEvent(new Event('prerenderingchange'))
    await flushed(client)
    expect(events()).toEqual(['page_view'])
  })
})

describe('url_path', () => {
  it('never holds the query or the hash', async () => {
    history.replaceState(null, '', '/a?token=1#b')
    const client = start()
    client.track('a')
    expect((await flushed(client))[0]!.url_path).toBe('/a')
  })

  it('is what path() answers, also in the next referrer', async () => {
    history.replaceState(null, '', '/reset/secret')
    const path = () => (location.pathname === '/login' ? '/login?x' : '/reset/:token')
    const client = start({ pageView: true, path })
    history.pushState(null, '', '/login')
    await flushed(client)
    expect(views()).toEqual([
      ['/reset/:token', 'unknown'],
      ['/login', 'https://shop.example/reset/:token'],
    ])
  })

  it('is empty rather than the address where path() throws', async () => {
    history.replaceState(null, '', '/reset/secret')
    const client = start({
      path: () => {
        throw new Error('no route')
      },
    })
    client.track('a')
    expect((await flushed(client))[0]!.url_path).toBe('')
  })
})

describe('the history', () => {
  it('is wrapped once for any number of clients and given back with the last', async () => {
    const first = start({ pageView: true })
    const wrapped = history.pushState
    expect(wrapped).not.toBe(pushState)
    const second = start({ pageView: true })
    expect(history.pushState).toBe(wrapped)
    first.close()
    expect(history.pushState).toBe(wrapped)
    history.pushState(null, '', '/a')
    await flushed(second)
    expect(views().filter(([path]) => path === '/a')).toHaveLength(1)
    second.close()
    expect(history.pushState).toBe(pushState)
  })

  it('is left alone where someone else wrapped it in the meantime', async () => {
    const client = start({ pageView: true })
    const ours = history.pushState
    const theirs = vi.fn(function (this: History, ...args: Parameters<History['pushState']>) {
      ours.apply(this, args)
    })
    history.pushState = theirs
    client.close()
    expect(history.pushState).toBe(theirs)
    history.pushState(null, '', '/quiet')

    const next = start({ pageView: true })
    expect(history.pushState).toBe(theirs)
    history.pushState(null, '', '/a')
    await flushed(next)
    expect(views().filter(([path]) => path === '/a')).toHaveLength(1)
    expect(views().filter(([path]) => path === '/quiet')).toHaveLength(1)
    history.pushState = ours
    next.close()
  })

  it('is untouched with page views switched off', () => {
    start()
    expect(history.pushState).toBe(pushState)
  })
})
