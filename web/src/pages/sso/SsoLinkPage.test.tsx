import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { currentUserQuery } from '../../api/account'
import { queryClient } from '../../api/queryClient'
import { bindNavigator } from '../../lib/navigation'
import { rememberUser } from '../../session/session'
import { user } from '../../testing/app'
import { aUser, ok, refusal, stubServer } from '../../testing/server'
import SsoLinkPage from './SsoLinkPage'

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
})

const LINK = {
  org_id: 'org-9',
  org_name: 'Acme',
  issuer: 'https://id.acme.example:8443/realms/main',
  email: aUser.email,
}
const refused = (status: number, code: string) =>
  refusal(status, { message: '', errors: [{ error: code, code }] })

function show(answers: Parameters<typeof stubServer>[0]) {
  rememberUser({ ...aUser, allow_visited_app: false, last_app: null })
  const seen = stubServer({ '/current': ok(aUser), ...answers })
  const router = createMemoryRouter([{ path: '*', Component: SsoLinkPage }], {
    initialEntries: ['/account/sso-link'],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return seen
}

const heading = async () => (await screen.findByRole('heading', { level: 1 })).textContent
const agree = () => screen.getByRole('button', { name: /关联并加入/ })

it('says whose it is before it links, once, and leads to the team', async () => {
  let answer!: (response: Response) => void
  const seen = show({
    '/current/sso-link': ok(LINK),
    'POST /current/sso-link': () => new Promise<Response>((resolve) => (answer = resolve)),
  })
  await screen.findByText('Acme')
  expect(await heading()).toBe('关联“Acme”的单点登录？')
  expect(screen.getByText('id.acme.example:8443')).toBeShown()
  expect(screen.getByText(aUser.email)).toBeShown()
  expect(screen.getByRole('link', { name: /暂\s?不/ }).getAttribute('href')).toBe('/')
  await user.click(agree())
  await user.click(agree())
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1)
  answer(ok({ org_id: 'org-9' })())
  await waitFor(() =>
    expect(navigate).toHaveBeenCalledExactlyOnceWith('/organization/config/config-app?org=org-9', {
      replace: true,
    }),
  )
  // The guard checks this before letting anyone through.
  expect(queryClient.getQueryData(currentUserQuery.queryKey)?.allow_visited_app).toBe(true)
})

it('says that there is nothing to link', async () => {
  show({ '/current/sso-link': refused(410, 'token_gone') })
  await waitFor(async () => expect(await heading()).toBe('没有等待关联的单点登录'))
  expect(screen.getByRole('link', { name: '进入 Atrium' })).toBeShown()
})

it('says that another account is wanted, and leads there and back', async () => {
  show({ '/current/sso-link': refused(409, 'link_wrong_account') })
  await waitFor(async () => expect(await heading()).toBe('请换一个账号登录'))
  expect(screen.getByText(new RegExp(aUser.email))).toBeShown()
  expect(screen.getByRole('link', { name: '换账号登录' }).getAttribute('href')).toBe(
    '/login?logout&redirect=%2Faccount%2Fsso-link',
  )
})

it.each([
  [410, 'token_gone', '没有等待关联的单点登录'],
  [409, 'link_wrong_account', '请换一个账号登录'],
])('says so too where that turns out at the end: %s', async (status, code, title) => {
  show({ '/current/sso-link': ok(LINK), 'POST /current/sso-link': refused(status, code) })
  await screen.findByText('Acme')
  await user.click(agree())
  await waitFor(async () => expect(await heading()).toBe(title))
  expect(navigate).not.toHaveBeenCalled()
})

it('can be asked again after a failure, of the question and of the answer', async () => {
  let broken = true
  show({
    '/current/sso-link': () => (broken ? refused(500, 'internal') : ok(LINK))(),
    'POST /current/sso-link': refused(500, 'internal'),
  })
  await screen.findByRole('alert')
  broken = false
  await user.click(screen.getByRole('button', { name: /重\s?试/ }))
  await screen.findByText('Acme')
  await user.click(agree())
  expect((await screen.findByRole('alert')).textContent).toBe('internal')
  expect(agree()).toBeShown()
})
