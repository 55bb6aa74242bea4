import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { bindNavigator } from '../../lib/navigation'
import { aUser, ok, refusal, stubServer, type SeenRequest } from '../../testing/server'
import { ProfileForm } from './ProfileForm'

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
})

/** Without the password checks made while typing. */
const sent = (seen: SeenRequest[]) => seen.filter(({ path }) => path !== '/password/check')

it('asks for the address on a setup link, and lands in the application entry', async () => {
  const seen = stubServer({ '/register/profile': ok(aUser) })
  render(<ProfileForm token="t-1" link={{ email: null, kind: 'setup' }} />)
  await userEvent.type(screen.getByLabelText('邮箱'), 'lin@example.com')
  await userEvent.type(screen.getByLabelText('姓名'), '林小雨')
  await userEvent.type(screen.getByLabelText('密码'), 'long enough')
  await userEvent.type(screen.getByLabelText('团队名称'), '数据平台')
  await userEvent.click(screen.getByRole('button', { name: '创建账号并进入' }))
  await waitFor(() =>
    expect(navigate).toHaveBeenCalledExactlyOnceWith('/org-id/org-1/app-id/app-1', {
      replace: true,
    }),
  )
  expect(JSON.parse(sent(seen)[0]!.body)).toEqual({
    token: 't-1',
    email: 'lin@example.com',
    name: '林小雨',
    password: 'long enough',
    organization_name: '数据平台',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  })
})

it('neither asks an invited person for an address nor for a team', async () => {
  const seen = stubServer({ '/register/profile': ok(aUser) })
  render(<ProfileForm token="t-1" link={{ email: 'lin@example.com', kind: 'invitation' }} />)
  expect(screen.getByLabelText<HTMLInputElement>('邮箱').readOnly).toBe(true)
  expect(screen.queryByLabelText('团队名称')).toBeNull()
  await userEvent.type(screen.getByLabelText('姓名'), '林小雨')
  await userEvent.type(screen.getByLabelText('密码'), 'long enough')
  await userEvent.click(screen.getByRole('button', { name: '加入团队' }))
  await waitFor(() => expect(sent(seen)).toHaveLength(1))
  expect(Object.keys(JSON.parse(sent(seen)[0]!.body) as object).sort()).toEqual([
    'name',
    'password',
    'timezone',
    'token',
  ])
})

it('puts what the server says on its field, and the rest above the form', async () => {
  const errors = [
    { error: '邮箱已被使用', code: 'email_taken', field: 'email' },
    { error: '链接即将过期', code: 'odd', field: 'token' },
  ]
  stubServer({ '/register/profile': refusal(422, { message: '', errors }) })
  render(<ProfileForm token="t-1" link={{ email: null, kind: 'setup' }} />)
  await userEvent.type(screen.getByLabelText('邮箱'), 'lin@example.com')
  await userEvent.type(screen.getByLabelText('姓名'), '林')
  await userEvent.type(screen.getByLabelText('密码'), 'long enough')
  await userEvent.type(screen.getByLabelText('团队名称'), '队')
  await userEvent.click(screen.getByRole('button', { name: '创建账号并进入' }))
  expect(await screen.findByText('邮箱已被使用')).toBeShown()
  expect(document.activeElement).toBe(screen.getByLabelText('邮箱'))
  expect(screen.getByRole('alert').textContent).toBe('邮箱已被使用；链接即将过期')
})

it.each([
  ['short', '密码长度为 8–128 个字符'],
  ['1234567', '密码长度为 8–128 个字符'],
  ['x'.repeat(129), '密码长度为 8–128 个字符'],
])('refuses the password %s before asking', async (value, text) => {
  const seen = stubServer({})
  render(<ProfileForm token="t-1" link={{ email: 'lin@example.com', kind: 'register' }} />)
  await userEvent.click(screen.getByLabelText('密码'))
  await userEvent.paste(value)
  await userEvent.tab()
  await waitFor(() =>
    expect(screen.getByLabelText('密码').getAttribute('aria-invalid')).toBe('true'),
  )
  expect(screen.getByText(text)).toBeShown()
  expect(seen).toEqual([])
})
