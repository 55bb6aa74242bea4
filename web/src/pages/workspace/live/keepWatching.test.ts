import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SILENCE_MS, type LiveMessage } from '../../../api/live'
import { refusal, stubServer } from '../../../testing/server'
import { keepWatching, waitAfter, type LiveState } from './keepWatching'

const encoder = new TextEncoder()

/** A response whose body the test writes. */
function stream() {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({ start: (made) => void (controller = made) })
  return {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    write: (text: string) => controller.enqueue(encoder.encode(text)),
    end: () => controller.close(),
    cut: () => controller.error(new TypeError('network error')),
  }
}

let states: LiveState[] = []
let messages: LiveMessage[] = []
let dropped = 0
let stop = new AbortController()

beforeEach(() => {
  vi.useFakeTimers()
  states = []
  messages = []
  dropped = 0
  stop = new AbortController()
})
afterEach(() => {
  stop.abort()
  vi.useRealTimers()
})

const watch = () =>
  void keepWatching('app-1', stop.signal, {
    onState: (state) => states.push(state),
    onMessage: (message) => messages.push(message),
    onDropped: (count) => (dropped += count),
  })
const settle = () => vi.advanceTimersByTimeAsync(0)
const kinds = () => states.map(({ kind }) => kind)
const asked = (seen: { path: string }[]) => seen.filter(({ path }) => path.endsWith('/live')).length

describe('a live stream', () => {
  it('hands on what comes, in the language on screen', async () => {
    const line = stream()
    const seen = stubServer({ '/apps/app-1/live': () => line.response })
    watch()
    await settle()
    line.write('event: message\ndata: {"event":"buy"}\n\nevent: dropped\ndata: {"count":4}\n\n')
    await settle()
    expect(kinds()).toEqual(['connecting', 'live'])
    expect(messages).toEqual([{ event: 'buy' }])
    expect(dropped).toBe(4)
    expect(seen[0]!.headers.get('accept')).toBe('text/event-stream')
    expect(seen[0]!.headers.get('accept-language')).toBe('zh-CN')
  })

  it('is opened again when it has come to its end', async () => {
    const lines = [stream(), stream()]
    const seen = stubServer({ '/apps/app-1/live': () => lines[asked(seen) - 1]!.response })
    watch()
    await settle()
    lines[0]!.end()
    await settle()
    expect(states.at(-1)).toMatchObject({ kind: 'waiting', error: null })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(kinds()).toEqual(['connecting', 'live', 'waiting', 'connecting', 'live'])
  })

  it('is opened again when the line is cut', async () => {
    const lines = [stream(), stream()]
    const seen = stubServer({ '/apps/app-1/live': () => lines[asked(seen) - 1]!.response })
    watch()
    await settle()
    lines[0]!.cut()
    await settle()
    expect(states.at(-1)).toMatchObject({ kind: 'waiting', error: { code: 'network' } })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(states.at(-1)).toEqual({ kind: 'live' })
  })

  it('is given up when it falls silent; a comment is a sign of life', async () => {
    const line = stream()
    stubServer({ '/apps/app-1/live': () => line.response })
    const answer = fetch
    vi.stubGlobal('fetch', (request: Request) => {
      // Like a browser: aborting a request breaks its body off.
      request.signal.addEventListener('abort', line.cut)
      return answer(request)
    })
    watch()
    await settle()
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1_000)
    line.write(': here\n\n')
    await vi.advanceTimersByTimeAsync(SILENCE_MS - 1_000)
    expect(states.at(-1)).toEqual({ kind: 'live' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(states.at(-1)).toMatchObject({ kind: 'waiting', error: { code: 'timeout' } })
  })

  it('waits as long as it is told', async () => {
    const busy = { message: '', errors: [{ error: '观看的人太多', code: 'too_many_viewers' }] }
    const seen = stubServer({ '/apps/app-1/live': refusal(429, busy, { 'retry-after': '20' }) })
    watch()
    await settle()
    expect(states.at(-1)).toMatchObject({ kind: 'waiting', error: { message: '观看的人太多' } })
    await vi.advanceTimersByTimeAsync(19_000)
    expect(asked(seen)).toBe(1)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(asked(seen)).toBe(2)
  })

  it.each([403, 404])('gives up at %s', async (status) => {
    const seen = stubServer({ '/apps/app-1/live': refusal(status) })
    watch()
    await settle()
    expect(states.at(-1)).toMatchObject({ kind: 'refused', error: { status } })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(asked(seen)).toBe(1)
  })

  it('is left alone once nobody watches', async () => {
    const seen = stubServer({ '/apps/app-1/live': refusal(503) })
    watch()
    await settle()
    stop.abort()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(asked(seen)).toBe(1)
  })
})

it.each([
  [0, 1_000],
  [1, 1_000],
  [2, 2_000],
  [5, 16_000],
  [6, 30_000],
  [99, 30_000],
])('after %i failures it waits %i ms at most, and half of it at least', (failures, most) => {
  expect(waitAfter(failures, 0)).toBe(most)
  expect(waitAfter(failures, 1)).toBe(most / 2)
})
