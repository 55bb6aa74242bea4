import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ok, stubServer } from '../testing/server'
import {
  AGAIN_SHOWN_MS,
  DOUBT_MS,
  LOOK_AGAIN_MS,
  lookForServer,
  useConnection,
  watchConnection,
} from './connection'
import { errorWithoutAnswer } from './errors'
import { queryClient } from './queryClient'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const state = () => useConnection.getState().state
const there = { '/build-info': ok({}) }

it('is lost where nobody answers, and looked for every five seconds', async () => {
  const seen = stubServer({})
  expect(await lookForServer()).toBe(false)
  expect(state()).toBe('lost')
  await vi.advanceTimersByTimeAsync(2 * LOOK_AGAIN_MS)
  expect(seen).toHaveLength(3)
})

it('is back with the first answer, which is said for a moment', async () => {
  stubServer({})
  await lookForServer()
  stubServer(there)
  await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS)
  expect(state()).toBe('again')
  await vi.advanceTimersByTimeAsync(AGAIN_SHOWN_MS)
  expect(state()).toBe('fine')
})

it('asks one question at a time, however many want to know', async () => {
  const seen = stubServer(there)
  expect(await Promise.all([lookForServer(), lookForServer()])).toEqual([true, true])
  expect(seen).toHaveLength(1)
  expect(state()).toBe('fine')
})

it('is looked for again while the browser says that it is offline', async () => {
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  stubServer(there)
  expect(await lookForServer()).toBe(true)
  const seen = stubServer({})
  await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS)
  expect(seen).toHaveLength(1)
  expect(state()).toBe('lost')
  onLine.mockReturnValue(true)
  stubServer(there)
  await vi.advanceTimersByTimeAsync(LOOK_AGAIN_MS)
  const after = stubServer(there)
  await vi.advanceTimersByTimeAsync(3 * LOOK_AGAIN_MS)
  expect(after).toHaveLength(0)
})

it('does not look behind a hidden tab, and does when it is seen again', async () => {
  const seen = stubServer({})
  await lookForServer()
  const hidden = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  await vi.advanceTimersByTimeAsync(10 * LOOK_AGAIN_MS)
  expect(seen).toHaveLength(1)
  hidden.mockReturnValue('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  await vi.advanceTimersByTimeAsync(0)
  expect(seen).toHaveLength(2)
})

it('asks again for what failed of it, and for nothing else', async () => {
  const asked: string[] = []
  const watch = (name: string, error: Error | null) => {
    const observer = new QueryObserver(queryClient, {
      queryKey: [name],
      queryFn: () => {
        asked.push(name)
        if (error && state() === 'fine') throw error
        return name
      },
      retry: false,
    })
    return observer.subscribe(() => {})
  }
  const stops = [watch('fell', errorWithoutAnswer('network')), watch('stood', null)]
  await vi.advanceTimersByTimeAsync(0)
  stubServer({})
  await lookForServer()
  stubServer(there)
  await lookForServer()
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual(['fell', 'stood', 'fell'])
  stops.forEach((stop) => stop())
})

it('looks at once when the browser says that the network went or came', async () => {
  watchConnection()
  stubServer({})
  window.dispatchEvent(new Event('offline'))
  await vi.advanceTimersByTimeAsync(0)
  expect(state()).toBe('lost')
  stubServer(there)
  window.dispatchEvent(new Event('online'))
  await vi.advanceTimersByTimeAsync(0)
  expect(state()).toBe('again')
})

it('does not believe the browser where the server answers all the same', async () => {
  stubServer(there)
  window.dispatchEvent(new Event('offline'))
  await vi.advanceTimersByTimeAsync(0)
  expect(state()).toBe('fine')
})

it('looks again soon where the last answer was under way when the network went', async () => {
  const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  stubServer(there)
  window.dispatchEvent(new Event('offline'))
  await vi.advanceTimersByTimeAsync(0)
  expect(state()).toBe('fine')
  stubServer({})
  await vi.advanceTimersByTimeAsync(DOUBT_MS)
  expect(state()).toBe('lost')
  onLine.mockReturnValue(true)
})
