import { QueryClientProvider } from '@tanstack/react-query'
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/queryClient'
import { bindNavigator } from '../../lib/navigation'
import { rememberUser } from '../../session/session'
import { anApp, user } from '../../testing/app'
import { aUser, ok, refusal, stubServer } from '../../testing/server'
import { showOverlay, useOverlay } from '../shortcuts/overlay'
import Palette from './Palette'

const navigate = vi.fn()
const org = { id: 'org-1', name: '数据平台部', permissions: ['org:view', 'org_app:create'] }
const person = { user_id: 'u-2', name: '周末', email: 'zhou@example.com' }

beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
})

function open(answers: Parameters<typeof stubServer>[0] = {}) {
  rememberUser(aUser)
  const seen = stubServer({
    '/orgs': ok({ items: [org], total: 1 }),
    '/orgs/org-1/apps': ok({ items: [anApp], total: 1 }),
    '/orgs/org-1/members': ok({ items: [person], total: 1 }),
    ...answers,
  })
  const router = createMemoryRouter([{ path: '*', element: <Palette /> }], {
    initialEntries: ['/data-dashboard?org=org-1'],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  act(() => showOverlay('palette'))
  return seen
}

const field = () => screen.findByRole('combobox', { name: '快速查找' })
const selected = () => screen.getByRole('option', { selected: true }).textContent

it('goes where it is told by keyboard alone, and offers that first the next time', async () => {
  open()
  const input = await field()
  await waitFor(() => expect(document.activeElement).toBe(input))
  await screen.findByRole('option', { name: /团队成员/ })
  await user.keyboard('已归档')
  expect(selected()).toContain('已归档应用')
  expect(input.getAttribute('aria-activedescendant')).toBe(
    screen.getByRole('option', { selected: true }).id,
  )
  await user.keyboard('{Enter}')
  expect(navigate).toHaveBeenCalledWith('/organization/config/archived-app?org=org-1', undefined)
  expect(useOverlay.getState().shown).toBeNull()

  act(() => showOverlay('palette'))
  const recent = within(await screen.findByRole('group', { name: '最近使用' }))
  expect(recent.getByRole('option').textContent).toContain('已归档应用')
})

it('goes round with the arrows', async () => {
  open()
  const input = await field()
  await waitFor(() => expect(document.activeElement).toBe(input))
  await screen.findByRole('option', { name: /团队成员/ })
  const options = screen.getAllByRole('option')
  const first = selected()
  await user.keyboard('{ArrowUp}')
  expect(selected()).toBe(options.at(-1)!.textContent)
  await user.keyboard('{ArrowDown}')
  expect(selected()).toBe(first)
})

it('asks for apps and people once the typing pauses', async () => {
  const seen = open()
  const input = await field()
  await screen.findByRole('option', { name: /团队成员/ })
  const searches = () => seen.filter(({ query }) => query.includes('search='))
  for (const text of ['周', '周末']) fireEvent.change(input, { target: { value: text } })
  expect(searches()).toEqual([])
  const found = await screen.findByRole('option', { name: /周末/ })
  expect(searches().map(({ path }) => path)).toEqual(['/orgs/org-1/apps', '/orgs/org-1/members'])
  await user.click(found)
  expect(navigate).toHaveBeenCalledWith(
    '/organization/config/member?org=org-1&search=zhou%40example.com',
    undefined,
  )
})

it('finds events by name: of the app on screen, else of the one used last', async () => {
  const seen = open({
    '/apps/app-1': ok({ ...anApp, permissions: ['event:view'] }),
    '/apps/app-1/events': ok({ items: [{ event: 'checkout_done' }], total: 1 }),
  })
  fireEvent.change(await field(), { target: { value: 'checkout' } })
  await user.click(await screen.findByRole('option', { name: /checkout_done/ }))
  expect(navigate).toHaveBeenCalledWith(
    '/org-id/org-1/app-id/app-1/events?event=checkout_done',
    undefined,
  )
  expect(seen.find(({ path }) => path.endsWith('/events'))?.query).toContain('search=checkout')
})

it('asks for no events where the person may not see them', async () => {
  const seen = open({ '/apps/app-1': ok({ ...anApp, permissions: ['app:view'] }) })
  fireEvent.change(await field(), { target: { value: '周末' } })
  await screen.findByRole('option', { name: /周末/ })
  expect(seen.some(({ path }) => path.endsWith('/events'))).toBe(false)
})

it('opens an app, and forgets one that is closed by now', async () => {
  open()
  fireEvent.change(await field(), { target: { value: '商城' } })
  await user.click(await screen.findByRole('option', { name: /商城/ }))
  expect(navigate).toHaveBeenCalledWith('/org-id/org-1/app-id/app-1', expect.anything())

  stubServer({ '/orgs': ok({ items: [org], total: 1 }), '/apps/app-1': refusal(404) })
  act(() => showOverlay('palette'))
  await screen.findByRole('option', { name: /团队成员/ })
  expect(screen.queryByRole('option', { name: /商城/ })).toBeNull()
})

it('does not take the end of a word in Chinese for a choice, and says when nothing is found', async () => {
  open({
    '/orgs/org-1/apps': ok({ items: [], total: 0 }),
    '/orgs/org-1/members': ok({ items: [], total: 0 }),
  })
  const input = await field()
  fireEvent.keyDown(input, { key: 'Enter', isComposing: true })
  expect(navigate).not.toHaveBeenCalled()
  fireEvent.change(input, { target: { value: '没有的东西' } })
  await screen.findByText('没有找到匹配的内容')
  fireEvent.keyDown(input, { key: 'Enter' })
  expect(useOverlay.getState().shown).toBe('palette')
})
