import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../src/index'
import { events, flushed, messages, sent, stub, usePage } from './support'

usePage()

type Global = Client & { push(...calls: unknown[][]): void; init(options: object): Client }

const page = window as unknown as { atrium?: unknown }
const atrium = () => page.atrium as Global

async function load(attributes: Record<string, string>): Promise<void> {
  const script = document.createElement('script')
  // It never runs: jsdom doesn't fetch scripts. Only its attributes are read.
  script.src = 'https://in.example/sdk/atrium.js'
  for (const [name, value] of Object.entries(attributes)) script.setAttribute(name, value)
  stub(document, 'currentScript', script)
  vi.resetModules()
  await import('../src/script')
}

afterEach(() => {
  if (typeof atrium()?.close === 'function') atrium().close()
  delete page.atrium
})

describe('the script tag', () => {
  it('starts by itself and reports to where it came from', async () => {
    await load({ 'data-app-key': 'ck_tag', 'data-client-version': '1.2' })
    await flushed(atrium())
    expect(sent).toMatchObject([
      { url: 'https://in.example/v1/collect', body: { app_key: 'ck_tag' } },
    ])
    expect(messages()[0]!.data).toMatchObject({ event: 'page_view', client_version: '1.2' })
  })

  it('reports elsewhere with data-url', async () => {
    await load({ 'data-app-key': 'ck_tag', 'data-url': 'https://other.example' })
    await flushed(atrium())
    expect(sent[0]!.url).toBe('https://other.example/v1/collect')
  })

  it.each([
    [{}, ['page_view', 'button_click']],
    [{ 'data-page-view': 'off' }, ['button_click']],
    [{ 'data-clicks': 'off' }, ['page_view']],
  ])('reports %o', async (attributes, expected) => {
    await load({ 'data-app-key': 'ck_tag', ...(attributes as object) })
    document.body.innerHTML = '<button>Go</button>'
    document.querySelector('button')!.click()
    await flushed(atrium())
    expect(events()).toEqual(expected)
  })

  it.each([
    [{ 'data-debug': '' }, 1],
    [{}, 0],
  ])('says what goes wrong: %o', async (attributes, times) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await load({ 'data-app-key': 'ck_tag', ...(attributes as object) })
    atrium().track('a', { n: BigInt(1) })
    expect(warn).toHaveBeenCalledTimes(times)
  })

  it('replays the calls made before it was there, and takes more in the same way', async () => {
    page.atrium = [
      ['setUserId', 'u1'],
      ['track', 'signup', { plan: 'pro' }],
    ]
    await load({ 'data-app-key': 'ck_tag', 'data-page-view': 'off' })
    atrium().push(['track', 'later'])
    atrium().track('direct')
    await flushed(atrium())
    expect(messages().map(({ data }) => [data.event, data.user_id, data.properties])).toEqual([
      ['signup', 'u1', { plan: 'pro' }],
      ['later', 'u1', {}],
      ['direct', 'u1', {}],
    ])
  })

  it('without a key waits for init, with the calls made by then', async () => {
    page.atrium = [['track', 'early']]
    await load({})
    expect(sent).toEqual([])
    atrium().push(['track', 'waiting'])
    atrium().init({ url: 'https://in.example', appKey: 'ck_late', pageView: false })
    await flushed(atrium())
    expect(events()).toEqual(['early', 'waiting'])
  })

  it('on a page twice starts once', async () => {
    await load({ 'data-app-key': 'ck_tag' })
    const first = atrium()
    await load({ 'data-app-key': 'ck_tag' })
    expect(atrium()).toBe(first)
    await flushed(atrium())
    expect(events()).toEqual(['page_view'])
  })

  it('survives calls that are wrong, and an element of its name', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    page.atrium = document.createElement('div')
    await load({ 'data-app-key': 'ck_tag', 'data-url': 'in.example' })
    expect(warn).toHaveBeenCalledTimes(1)
    expect(() => atrium().push(['uuid', null, new Uint8Array(1)], ['nonsense'])).not.toThrow()
    expect(warn).toHaveBeenCalledTimes(2)
  })
})
