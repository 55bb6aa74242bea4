import { QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/queryClient'
import { bindNavigator } from '../../lib/navigation'
import { aUser, ok, refusal, stubServer } from '../../testing/server'
import { useAccessCheck, WATCH_MS } from './useAccessCheck'

const navigate = vi.fn()
const show = (state: DocumentVisibilityState) =>
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  navigate.mockReset()
  bindNavigator(navigate)
  show('visible')
})
afterEach(() => vi.useRealTimers())

function watch() {
  return renderHook(
    () => {
      const check = useAccessCheck('?redirect=%2F403')
      useEffect(() => check.watch(), [check])
    },
    {
      wrapper: ({ children }) => (
        <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
      ),
    },
  )
}
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

it('asks every ten seconds, and goes on once access is there', async () => {
  let allowed = false
  const seen = stubServer({ '/current': () => ok({ ...aUser, allow_visited_app: allowed })() })
  watch()
  await pass(WATCH_MS)
  expect(seen).toHaveLength(1)
  expect(navigate).not.toHaveBeenCalled()
  allowed = true
  await pass(WATCH_MS)
  expect(navigate).toHaveBeenCalledWith('/403', { replace: true })
})

it('rests while the tab is hidden, and asks at once when it is back', async () => {
  const seen = stubServer({ '/current': ok({ ...aUser, allow_visited_app: false }) })
  watch()
  show('hidden')
  await pass(5 * WATCH_MS)
  expect(seen).toHaveLength(0)
  show('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  await pass(0)
  expect(seen).toHaveLength(1)
})

it('says nothing of a lost answer, and leaves with an ended session', async () => {
  let answer = refusal(503)
  stubServer({ '/current': () => answer() })
  watch()
  await pass(WATCH_MS)
  expect(navigate).not.toHaveBeenCalled()
  answer = refusal(401)
  await pass(WATCH_MS)
  expect(navigate).toHaveBeenCalledWith(expect.stringMatching(/^\/login\?redirect=/), undefined)
})

it('stops with the page', async () => {
  const seen = stubServer({ '/current': ok(aUser) })
  watch().unmount()
  await pass(2 * WATCH_MS)
  expect(seen).toHaveLength(0)
})
