import { focusManager, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { MemoryRouter, Route, Routes, useLocation } from 'react-router'
import type { Notification } from '../api/notifications'
import { queryClient } from '../api/queryClient'
import { ok, refusal, stubServer } from '../testing/server'
import { Bell } from './Bell'

afterEach(() => vi.useRealTimers())

const message = (id: string, changes: Partial<Notification> = {}): Notification => ({
  id,
  type: 'security',
  kind: 'new_device',
  title: `标题 ${id}`,
  text: `正文 ${id}`,
  link: '/account/user-info#sessions',
  created_at: '2026-01-01T00:00:00.000Z',
  read_at: null,
  ...changes,
})

const list = (items: Notification[], total = items.length) =>
  ok({ items, total, unread: items.filter(({ read_at }) => !read_at).length })

function Here() {
  const { pathname, hash } = useLocation()
  return <p>在 {pathname + hash}</p>
}

function show() {
  return render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <Bell />
        <Routes>
          <Route path="*" element={<Here />} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

const bell = () => screen.getByRole('button', { name: /^通知/ })
const panel = () => screen.getByRole('dialog', { name: '通知' })

it('counts what is unread, and no further than 99', async () => {
  stubServer({ '/current/notifications/unread': ok({ unread: 3 }) })
  const first = show()
  expect(await screen.findByRole('button', { name: '通知，3 条未读' })).toBeShown()
  first.unmount()
  queryClient.clear()
  stubServer({ '/current/notifications/unread': ok({ unread: 120 }) })
  show()
  expect(await screen.findByText('99+')).toBeShown()
})

it('asks again every minute while the tab is looked at, and on return to it', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const seen = stubServer({ '/current/notifications/unread': ok({ unread: 0 }) })
  show()
  await vi.waitFor(() => expect(seen).toHaveLength(1))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(seen).toHaveLength(2)
  focusManager.setFocused(false)
  await vi.advanceTimersByTimeAsync(180_000)
  expect(seen).toHaveLength(2)
  focusManager.setFocused(true)
  await vi.waitFor(() => expect(seen).toHaveLength(3))
  focusManager.setFocused(undefined)
})

it('marks a message read when it is opened, and follows it', async () => {
  const seen = stubServer({
    '/current/notifications/unread': ok({ unread: 1 }),
    '/current/notifications': list([message('a'), message('b', { read_at: '2026-01-02' })]),
    '/current/notifications/read': ok({ unread: 0 }),
  })
  show()
  await userEvent.click(bell())
  expect(await within(panel()).findAllByText('未读')).toHaveLength(1)
  await userEvent.click(within(panel()).getByText('标题 a'))
  expect(await screen.findByText('在 /account/user-info#sessions')).toBeShown()
  expect(screen.queryByRole('dialog')).toBeNull()
  await waitFor(() => expect(bell().getAttribute('aria-label')).toBe('通知'))
  expect(seen.find(({ method }) => method === 'POST')?.body).toBe('{"ids":["a"]}')
})

it('counts what the list says, which is newer', async () => {
  stubServer({
    '/current/notifications/unread': ok({ unread: 1 }),
    '/current/notifications': list([message('a'), message('b')]),
  })
  show()
  await screen.findByRole('button', { name: '通知，1 条未读' })
  await userEvent.click(bell())
  expect(await screen.findByRole('button', { name: '通知，2 条未读' })).toBeShown()
})

it('marks all as read', async () => {
  const seen = stubServer({
    '/current/notifications/unread': ok({ unread: 2 }),
    '/current/notifications': list([message('a'), message('b')]),
    '/current/notifications/read': ok({ unread: 0 }),
  })
  show()
  await screen.findByRole('button', { name: '通知，2 条未读' })
  await userEvent.click(bell())
  await userEvent.click(await within(panel()).findByRole('button', { name: '全部标为已读' }))
  await waitFor(() => expect(within(panel()).queryByText('未读')).toBeNull())
  expect(seen.find(({ method }) => method === 'POST')?.body).toBe('{}')
  expect(within(panel()).queryByRole('button', { name: '全部标为已读' })).toBeNull()
})

it('leads nowhere but into the console', async () => {
  stubServer({
    '/current/notifications/unread': ok({ unread: 1 }),
    '/current/notifications': list([message('a', { link: '//evil.example' })]),
    '/current/notifications/read': ok({ unread: 0 }),
  })
  show()
  await userEvent.click(bell())
  await within(panel()).findByText('标题 a')
  expect(within(panel()).queryByRole('link')).toBeNull()
})

it('pages back, and shows nothing twice', async () => {
  const pages = [list([message('a'), message('b')], 21), list([message('b'), message('c')], 21)]
  stubServer({
    '/current/notifications/unread': ok({ unread: 0 }),
    '/current/notifications': () => pages.shift()!(),
  })
  show()
  await userEvent.click(bell())
  await userEvent.click(await within(panel()).findByRole('button', { name: '查看更早的通知' }))
  expect(await within(panel()).findByText('标题 c')).toBeShown()
  expect(within(panel()).getAllByText('标题 b')).toHaveLength(1)
  expect(within(panel()).queryByRole('button', { name: '查看更早的通知' })).toBeNull()
})

it('says that there is nothing, or that it could not be had', async () => {
  let broken = true
  stubServer({
    '/current/notifications/unread': ok({ unread: 0 }),
    '/current/notifications': () =>
      broken ? refusal(500, '', { 'x-request-id': 'req-9' })() : list([])(),
  })
  show()
  await userEvent.click(bell())
  expect((await within(panel()).findByRole('alert')).textContent).toContain('req-9')
  broken = false
  await userEvent.click(within(panel()).getByRole('button', { name: /重\s*试/ }))
  expect(await within(panel()).findByText(/还没有通知/)).toBeShown()
})

it('closes by Escape, which gives the focus back, and by turning elsewhere', async () => {
  stubServer({ '/current/notifications/unread': ok({ unread: 0 }) })
  show()
  await userEvent.click(bell())
  expect(document.activeElement).toBe(panel())
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement).toBe(bell())
  await userEvent.click(bell())
  await userEvent.click(screen.getByText('在 /'))
  expect(screen.queryByRole('dialog')).toBeNull()
})
