import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { User } from '../../api/account'
import { environmentQuery, type Environment } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { bindNavigator, browser } from '../../lib/navigation'
import { rememberUser } from '../../session/session'
import { useUser } from '../../session/useUser'
import { user } from '../../testing/app'
import { anEnvironment, aUser, ok, refusal, stubServer } from '../../testing/server'
import { BindingsSection } from './BindingsSection'
import { ProviderNotice } from './ProviderNotice'
import { PasswordSection } from './PasswordSection'

const assign = vi.fn()
const navigate = vi.fn()
beforeEach(() => {
  assign.mockReset()
  navigate.mockReset()
  bindNavigator(navigate)
  vi.spyOn(browser, 'assign').mockImplementation(assign)
})

const BOUND = { name: 'LiLei', bound_at: aUser.created_at }
const refused = (status: number, code: string, error = code) =>
  refusal(status, { message: '', errors: [{ error, code }] })

interface Shown {
  at?: string
  person?: Partial<User>
  answers?: Parameters<typeof stubServer>[0]
}

function show(Part: React.ComponentType<{ user: User }>, shown: Shown = {}) {
  const { at = '/account/user-info', person = {}, answers = {} } = shown
  const providers = { sso: true, wechatwork: true, feishu: true }
  const environment = { ...anEnvironment, providers } as Environment
  queryClient.setQueryData(environmentQuery.queryKey, environment)
  rememberUser({ ...aUser, ...person })
  const seen = stubServer(answers)
  function Whole() {
    const known = useUser()
    return known && <Part user={known} />
  }
  const router = createMemoryRouter([{ path: '*', Component: Whole }], { initialEntries: [at] })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { seen, address: () => router.state.location.pathname + router.state.location.search }
}

const button = (name: string) => screen.getByRole('button', { name })
const confirm = async () => {
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: /解\s?绑/ }))
}

describe('binding', () => {
  it('leaves for the service in this window, once', async () => {
    const { seen } = show(BindingsSection, {
      answers: { '/feishu/authorize/url': ok({ url: 'https://feishu.example/qr' }) },
    })
    await user.click(button('绑定飞书'))
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://feishu.example/qr'))
    await user.click(screen.getByRole('button', { name: /绑定飞书/ }))
    expect(seen.map(({ method, path, query }) => [method, path, query])).toEqual([
      ['GET', '/feishu/authorize/url', 'purpose=bind'],
    ])
    expect(button('绑定企业微信').hasAttribute('disabled')).toBe(true)
  })

  it('shows what was bound elsewhere meanwhile', async () => {
    show(BindingsSection, {
      answers: {
        '/feishu/authorize/url': refused(409, 'already_bound', '已绑定'),
        '/current': ok({ ...aUser, bindings: { wechatwork: null, feishu: BOUND } }),
      },
    })
    await user.click(button('绑定飞书'))
    expect((await screen.findByRole('alert')).textContent).toBe('已绑定')
    expect(await screen.findByRole('button', { name: '解绑飞书' })).toBeShown()
    expect(assign).not.toHaveBeenCalled()
  })
})

describe('unbinding', () => {
  const person = { bindings: { wechatwork: BOUND, feishu: null } }

  it('asks first, then says that it is done', async () => {
    const { seen } = show(BindingsSection, {
      person,
      answers: { '/wechatwork/authorize/cancel': ok({}), '/current': ok(aUser) },
    })
    expect(screen.getByText(/LiLei/)).toBeShown()
    await user.click(button('解绑企业微信'))
    expect(seen).toEqual([])
    await confirm()
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe('已解绑企业微信。'))
    expect(button('绑定企业微信')).toBeShown()
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/wechatwork/authorize/cancel' })
  })

  it('is refused where no other way in would remain, and says what to do', async () => {
    show(BindingsSection, {
      person,
      answers: { '/wechatwork/authorize/cancel': refused(409, 'last_way_in') },
    })
    await user.click(button('解绑企业微信'))
    await confirm()
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain('唯一的登录方式')
    expect(alert.textContent).toContain('设置密码')
    expect(button('解绑企业微信')).toBeShown()
  })

  it('of what is gone already is done', async () => {
    show(BindingsSection, {
      person,
      answers: { '/wechatwork/authorize/cancel': refused(404, 'not_bound'), '/current': ok(aUser) },
    })
    await user.click(button('解绑企业微信'))
    await confirm()
    expect(await screen.findByRole('button', { name: '绑定企业微信' })).toBeShown()
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

it('lists the teams that the account is linked to', () => {
  show(BindingsSection, { person: { sso: [{ org_id: 'o1', org_name: 'Acme' }] } })
  expect(screen.getByText('单点登录：Acme')).toBeShown()
})

describe('coming back from a service', () => {
  const bound = { bindings: { wechatwork: null, feishu: BOUND } }

  it('says once that it is bound', async () => {
    const { address } = show(ProviderNotice, {
      at: '/account/user-info?bound=feishu',
      person: bound,
    })
    await waitFor(() => expect(screen.getByRole('status').textContent).toContain('已绑定飞书'))
    await waitFor(() => expect(address()).toBe('/account/user-info'))
    expect(screen.getByRole('status').textContent).toContain('已绑定飞书')
  })

  it.each(['wechatwork', 'sso', '__proto__', '<b>feishu', ''])(
    'says nothing of %j that is not bound',
    async (value) => {
      const at = `/account/user-info?bound=${encodeURIComponent(value)}`
      const { address } = show(ProviderNotice, { at, person: bound })
      await waitFor(() => expect(address()).toBe('/account/user-info'))
      expect(document.body.textContent).toBe('')
    },
  )

  it.each([
    ['bound_elsewhere', '已经绑定了其他人'],
    ['wrong_user', '不是由当前登录的用户发起'],
    ['Call +1 555', '操作没有完成，请重试。'],
  ])('says once what went wrong: %s', async (failed, text) => {
    const at = `/account/user-info?provider=feishu&failed=${encodeURIComponent(failed)}&x=1`
    const { address } = show(ProviderNotice, { at })
    expect((await screen.findByRole('alert')).textContent).toContain(text)
    await waitFor(() => expect(address()).toBe('/account/user-info?x=1'))
    expect(document.body.textContent).not.toContain('555')
  })
})

describe('somebody without a password', () => {
  it('is told so, and can set one by mail', async () => {
    show(PasswordSection, { person: { has_password: false } })
    expect(screen.queryByLabelText('当前密码')).toBeNull()
    expect(screen.getByText(/还没有密码/)).toBeShown()
    await user.click(button('通过邮件设置密码'))
    expect(navigate).toHaveBeenCalledWith('/forgetPwd', { state: { email: aUser.email } })
  })

  it('is not who has one', () => {
    show(PasswordSection)
    expect(screen.getByLabelText('当前密码')).toBeShown()
  })
})
