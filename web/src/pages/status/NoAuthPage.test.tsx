import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/queryClient'
import { bindNavigator } from '../../lib/navigation'
import { rememberUser } from '../../session/session'
import { user } from '../../testing/app'
import { aUser, ok, startUpAnswers, stubServer } from '../../testing/server'
import NoAuthPage from './NoAuthPage'

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
  // So that the page asks only when it is told to.
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
})

const nobody = { ...aUser, allow_visited_app: false }
const invitation = {
  id: 'i1',
  organization: { id: 'o1', name: '数据平台部' },
  role: 'admin',
  invited_by: '林一',
  expires_at: '2999-01-01T00:00:00.000Z',
}

function show() {
  const state = { allowed: false }
  rememberUser(nobody)
  stubServer({
    ...startUpAnswers,
    '/current': () => ok({ ...nobody, allow_visited_app: state.allowed })(),
    '/current/invitations': ok({ items: [invitation], total: 1 }),
    '/invitations/i1/accept': () => {
      state.allowed = true
      return ok(invitation.organization)()
    },
  })
  const router = createMemoryRouter([{ path: '*', Component: NoAuthPage }], {
    initialEntries: ['/no-auth?redirect=%2Faccount%2Fuser-info'],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return state
}

const wentOn = () =>
  waitFor(() => expect(navigate).toHaveBeenCalledWith('/account/user-info', { replace: true }))

it('says that there is no access yet, and leads on once there is', async () => {
  const state = show()
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('暂无团队或应用权限')
  expect(screen.getByText(aUser.email)).toBeShown()
  const check = () => screen.getByRole('button', { name: /重新检查$/ })
  await user.click(check())
  expect(await screen.findByText(/^暂时还没有权限/)).toBeShown()
  expect(navigate).not.toHaveBeenCalled()
  state.allowed = true
  await user.click(check())
  await wentOn()
})

it('leads on with the invitation that is taken up there', async () => {
  show()
  expect(await screen.findByText(/^林一邀请你以管理员身份加入/)).toBeShown()
  await user.click(screen.getByRole('button', { name: '接受“数据平台部”的邀请' }))
  await wentOn()
})
