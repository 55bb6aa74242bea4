import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../api/queryClient'
import { bindNavigator, browser } from '../lib/navigation'
import { rememberUser } from '../session/session'
import { aUser, ok, refusal, stubServer } from '../testing/server'
import { askForProof, ReauthHost, settleProof } from './reauth'
// The host loads this on demand; preload it here so that loading doesn't count against the query
// timeout.
import './ReauthDialog'

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
  settleProof(false)
  rememberUser(aUser)
})

async function show() {
  render(
    <QueryClientProvider client={queryClient}>
      <ReauthHost />
    </QueryClientProvider>,
  )
  const proof = askForProof()
  await screen.findByRole('dialog', { name: '请确认是你本人' })
  // Wrapped in an object so that returning it doesn't await it.
  return { proof }
}

it('is not there until it is needed', () => {
  const { container } = render(<ReauthHost />)
  expect(container.childElementCount).toBe(0)
})

it('says on its field that a password is wrong, and takes the right one', async () => {
  const wrong = {
    message: '',
    errors: [{ error: '密码不正确', code: 'wrong_password', field: 'password' }],
  }
  let right = false
  stubServer({ '/current/reauth': () => (right ? ok({}) : refusal(422, wrong))() })
  const { proof } = await show()
  await userEvent.type(screen.getByLabelText('密码'), 'not it{Enter}')
  expect(await screen.findByText('密码不正确')).toBeShown()
  right = true
  await userEvent.type(screen.getByLabelText('密码'), ', this is{Enter}')
  await expect(proof).resolves.toBe(true)
})

it('counts down where the server wants no more tries', async () => {
  const body = { message: '', errors: [{ error: '尝试次数过多', code: 'throttled' }] }
  stubServer({ '/current/reauth': refusal(429, body, { 'retry-after': '30' }) })
  const { proof } = await show()
  await userEvent.type(screen.getByLabelText('密码'), 'not it{Enter}')
  expect((await screen.findByRole('alert')).textContent).toBe('尝试次数过多')
  expect(screen.getByRole('button', { name: /请在 \d+ 秒后重试/ })).toBeShown()
  await userEvent.click(screen.getByRole('button', { name: /取\s*消/ }))
  await expect(proof).resolves.toBe(false)
})

it('leads whoever has no password to a fresh sign-in, and back', async () => {
  window.history.replaceState(null, '', '/account/user-info#mfa')
  const { proof } = await show()
  await userEvent.click(screen.getByRole('button', { name: '重新登录' }))
  await expect(proof).resolves.toBe(false)
  await waitFor(() =>
    expect(navigate).toHaveBeenCalledWith(
      `/login?logout&redirect=${encodeURIComponent('/account/user-info#mfa')}`,
      undefined,
    ),
  )
})

const linked = { ...aUser, has_password: false, sso: [{ org_id: 'org-1', org_name: 'Acme' }] }

it('asks nobody for a password that does not exist: single sign-on leads back here', async () => {
  window.history.replaceState(null, '', '/account/user-info#mfa')
  rememberUser(linked)
  const assign = vi.spyOn(browser, 'assign').mockImplementation(() => {})
  const seen = stubServer({ '/sso/login': ok({ redirect_url: 'https://id.acme.example/a' }) })
  await show()
  expect(screen.queryByLabelText('密码')).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: '用“Acme”的单点登录' }))
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://id.acme.example/a'))
  expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
    { organization: 'org-1', redirect: '/account/user-info#mfa' },
  ])
})

it('says that single sign-on does not answer, and has other ways', async () => {
  rememberUser(linked)
  const body = { message: '', errors: [{ error: 'x', code: 'provider_unavailable' }] }
  stubServer({ '/sso/login': refusal(503, body) })
  const { proof } = await show()
  await userEvent.click(screen.getByRole('button', { name: '用“Acme”的单点登录' }))
  expect((await screen.findByRole('alert')).textContent).toContain('暂时没有响应')
  await userEvent.click(screen.getByRole('button', { name: '通过邮件设置密码' }))
  await expect(proof).resolves.toBe(false)
  expect(navigate).toHaveBeenCalledWith('/forgetPwd', { state: { email: linked.email } })
})

it('leads whoever has neither to a fresh sign-in', async () => {
  rememberUser({ ...linked, sso: [] })
  const { proof } = await show()
  expect(screen.queryByRole('button', { name: /单点登录/ })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: '重新登录' }))
  await expect(proof).resolves.toBe(false)
  expect(navigate).toHaveBeenCalledWith(expect.stringContaining('/login?logout'), undefined)
})
