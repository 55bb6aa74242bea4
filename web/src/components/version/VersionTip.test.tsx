import { QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { currentUserQuery } from '../../api/account'
import { environmentQuery } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { browser } from '../../lib/navigation'
import { forgetUser } from '../../session/session'
import { ok, refusal, stubServer } from '../../testing/server'
import { useNotices } from '../notices/notices'
import { POLL_MS } from './useNewBuild'
import { VersionTip } from './VersionTip'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  look('visible')
  queryClient.clear()
  vi.useRealTimers()
})

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

function look(state: DocumentVisibilityState): void {
  Object.defineProperty(document, 'visibilityState', { configurable: true, value: state })
  document.dispatchEvent(new Event('visibilitychange'))
}

function open({ environment = 'production-front', signedIn = true } = {}) {
  queryClient.setQueryData(environmentQuery.queryKey, {
    environment,
    build_version: 'v1',
  } as never)
  if (signedIn) {
    queryClient.setQueryData(currentUserQuery.queryKey, { email: 'lin@example.com' } as never)
  }
  return render(
    <QueryClientProvider client={queryClient}>
      <VersionTip />
    </QueryClientProvider>,
  )
}

const tip = () => screen.queryByRole('dialog', { name: 'Atrium(lin@example.com)' })
const published = (version: string, message: string | null = null) =>
  ok({ build_version: version, build_message: message })

it('asks every half minute and says nothing while the version is the same', async () => {
  const seen = stubServer({ '/build-info': published('v1') })
  open()
  await pass(POLL_MS - 1)
  expect(seen).toHaveLength(0)
  await pass(1)
  expect(seen).toHaveLength(1)
  await pass(POLL_MS * 2)
  expect(seen).toHaveLength(3)
  expect(tip()).toBeNull()
})

it('tells of the new version with its message, and refreshes', async () => {
  stubServer({ '/build-info': published('v2', '修复了导出') })
  const reload = vi.spyOn(browser, 'reload').mockReturnValue()
  open()
  await pass(POLL_MS)
  expect(tip()?.textContent).toContain('v2')
  expect(tip()?.textContent).toContain('修复了导出')
  fireEvent.click(screen.getByRole('button', { name: '刷新页面' }))
  expect(reload).toHaveBeenCalledOnce()
})

it('pauses while the tab is hidden and asks once on return', async () => {
  const seen = stubServer({ '/build-info': published('v1') })
  open()
  act(() => look('hidden'))
  await pass(POLL_MS * 5)
  expect(seen).toHaveLength(0)
  act(() => look('visible'))
  await pass(0)
  expect(seen).toHaveLength(1)
  await pass(POLL_MS - 1)
  expect(seen).toHaveLength(1)
  await pass(1)
  expect(seen).toHaveLength(2)
})

it('ignores errors', async () => {
  const answers = { '/build-info': refusal(500) }
  stubServer(answers)
  open()
  await pass(POLL_MS)
  stubServer({})
  await pass(POLL_MS)
  stubServer({ '/build-info': refusal(401) })
  await pass(POLL_MS)
  expect(useNotices.getState().waiting).toEqual([])
  expect(tip()).toBeNull()
  stubServer({ '/build-info': published('v2') })
  await pass(POLL_MS)
  expect(tip()).not.toBeNull()
})

it('asks only in production, and only for somebody', async () => {
  const seen = stubServer({ '/build-info': published('v2') })
  const { unmount } = open({ environment: 'staging' })
  await pass(POLL_MS * 2)
  unmount()
  queryClient.clear()
  open({ signedIn: false })
  await pass(POLL_MS * 2)
  expect(seen).toHaveLength(0)
})

it('is gone with the person, and asks no more', async () => {
  const seen = stubServer({ '/build-info': published('v2') })
  open()
  await pass(POLL_MS)
  expect(tip()).not.toBeNull()
  act(() => forgetUser())
  await pass(POLL_MS * 3)
  expect(tip()).toBeNull()
  expect(seen).toHaveLength(1)
})

it('can be closed until there is another version', async () => {
  stubServer({ '/build-info': published('v2') })
  open()
  await pass(POLL_MS)
  fireEvent.click(screen.getByRole('button', { name: '关闭' }))
  await pass(POLL_MS)
  expect(tip()).toBeNull()
  stubServer({ '/build-info': published('v3') })
  await pass(POLL_MS)
  expect(tip()?.textContent).toContain('v3')
})
