import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { ApiError } from '../../api/errors'
import { queryClient } from '../../api/queryClient'
import { browser } from '../../lib/navigation'
import { rememberUser } from '../../session/session'
import { user } from '../../testing/app'
import { aUser, ok, refusal, stubServer } from '../../testing/server'
import { LoadFailure } from '../LoadFailure'
// Loaded on demand; preload it here so that loading doesn't count against the query timeout.
import './SsoWanted'

const assign = vi.fn()
beforeEach(() => {
  assign.mockReset()
  vi.spyOn(browser, 'assign').mockImplementation(assign)
})

const wanted = new ApiError({ status: 403, code: 'sso_required', text: () => '需要单点登录' })
const team = (id: string) => ({ org_id: id, org_name: id })

function show(at: string, sso: { org_id: string; org_name: string }[] = []) {
  window.history.replaceState(null, '', at)
  rememberUser({ ...aUser, sso })
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={[at]}>
        <LoadFailure error={wanted} retrying={false} onRetry={() => {}} />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}
const goOn = () => screen.findByRole('button', { name: /用单点登录继续/ })

it.each([
  ['the team of the address', '/organization/config/member?org=o2', ['o1'], { organization: 'o2' }],
  ['the team of the app', '/org-id/o3/app-id/a1/events', ['o1'], { organization: 'o3' }],
  ['the one linked team', '/a1/authManagement/appDetail', ['o1'], { organization: 'o1' }],
  ['the address', '/a1/authManagement/appDetail', ['o1', 'o2'], { email: aUser.email }],
  ['the address', '/a1/authManagement/appDetail', [], { email: aUser.email }],
])('goes on through the provider of %s, and back to the page', async (_, at, linked, who) => {
  const seen = stubServer({ '/sso/login': ok({ redirect_url: 'https://id.example/a' }) })
  show(at, linked.map(team))
  expect((await screen.findByRole('alert')).textContent).toContain('这个团队要求使用单点登录')
  await user.click(await goOn())
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://id.example/a'))
  expect(JSON.parse(seen[0]!.body)).toEqual({ ...who, redirect: at })
})

it('says that the provider is down, and can be pressed again', async () => {
  const body = { message: '', errors: [{ error: 'x', code: 'provider_unavailable' }] }
  const seen = stubServer({ '/sso/login': refusal(503, body) })
  show('/organization/config/member?org=o2')
  await user.click(await goOn())
  expect(await screen.findByText(/暂时没有响应/)).toBeShown()
  // The button ignores clicks until it is rendered as idle again, a moment later.
  await waitFor(async () => expect((await goOn()).className).not.toContain('loading'))
  await user.click(await goOn())
  await waitFor(() => expect(seen).toHaveLength(2))
})
