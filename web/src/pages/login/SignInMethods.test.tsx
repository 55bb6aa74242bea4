import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { environmentQuery, type Environment } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { bindNavigator } from '../../lib/navigation'
import { anEnvironment, aUser, ok, refusal, startUpAnswers, stubServer } from '../../testing/server'
import { SignInMethods } from './SignInMethods'

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
})

function show(environment: Partial<Environment> = {}, state?: unknown) {
  queryClient.setQueryData(environmentQuery.queryKey, {
    ...(anEnvironment as Environment),
    ...environment,
  })
  return render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter initialEntries={[{ pathname: '/login', state }]}>
        <SignInMethods search="" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

const tab = (name: string) => screen.getByRole('tab', { name })
const selected = () => screen.getByRole('tab', { selected: true }).textContent

it('shows the password first, and from then on what was used last', async () => {
  const first = show()
  expect(selected()).toBe('密码登录')
  await userEvent.click(tab('验证码登录'))
  expect(screen.getByRole('button', { name: '发送验证码' })).toBeShown()
  first.unmount()

  const second = show()
  expect(selected()).toBe('验证码登录')
  await userEvent.click(tab('密码登录'))
  second.unmount()
  show()
  expect(selected()).toBe('密码登录')
})

it('does not mind a remembered way that no longer exists', () => {
  localStorage.setItem('atrium.signInMethod', 'carrier pigeon')
  show()
  expect(selected()).toBe('密码登录')
})

it('moves between the tabs by arrow key and keeps the focus there', async () => {
  show()
  tab('密码登录').focus()
  await userEvent.keyboard('{ArrowRight}')
  expect(selected()).toBe('验证码登录')
  expect(document.activeElement).toBe(tab('验证码登录'))
  await userEvent.keyboard('{ArrowRight}')
  expect(document.activeElement).toBe(tab('密码登录'))
  await userEvent.keyboard('{End}')
  expect(selected()).toBe('验证码登录')
  expect(tab('密码登录').tabIndex).toBe(-1)
})

it('keeps the address between the tabs', async () => {
  show()
  await userEvent.type(screen.getByLabelText('邮箱'), 'lin@example.com')
  await userEvent.click(tab('验证码登录'))
  expect(screen.getByLabelText<HTMLInputElement>('邮箱').value).toBe('lin@example.com')
})

it('offers an account only where one can be made', () => {
  const open = show({ registration: 'open' })
  expect(screen.getByRole('link', { name: '注册账号' })).toBeShown()
  open.unmount()
  show({ registration: 'invite' })
  expect(screen.queryByRole('link', { name: '注册账号' })).toBeNull()
  expect(screen.getByText(/仅限邀请/)).toBeShown()
})

it('greets whoever has just set a new password', () => {
  show({}, { notice: 'passwordReset', email: 'lin@example.com' })
  expect(screen.getByRole('status').textContent).toBe('新密码已生效，请重新登录。')
  expect(screen.getByLabelText<HTMLInputElement>('邮箱').value).toBe('lin@example.com')
})

it('signs in as soon as the sixth digit is there', async () => {
  const seen = stubServer({
    ...startUpAnswers,
    '/send-login-code-email': ok({}),
    '/login-by-email-code': ok(aUser),
  })
  show({ mail_configured: false })
  await userEvent.click(tab('验证码登录'))
  await userEvent.type(screen.getByLabelText('邮箱'), ' lin@example.com {Enter}')
  const code = await screen.findByLabelText('验证码')
  expect(screen.getByText(/outbox/)).toBeShown()
  expect(screen.getByRole('button', { name: /秒后可重新生成/ })).toBeShown()
  await userEvent.click(code)
  await userEvent.paste('123 456')
  await waitFor(() => expect(navigate).toHaveBeenCalledOnce())
  expect(
    seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body)),
  ).toEqual([{ email: 'lin@example.com' }, { email: 'lin@example.com', code: '123456' }])
})

it('says that a code is wrong, and takes the next one', async () => {
  const body = { message: '', errors: [{ error: '验证码不正确', code: 'bad_code' }] }
  const seen = stubServer({
    '/send-login-code-email': ok({}),
    '/login-by-email-code': refusal(401, body),
  })
  show()
  await userEvent.click(tab('验证码登录'))
  await userEvent.type(screen.getByLabelText('邮箱'), 'lin@example.com{Enter}')
  await userEvent.type(await screen.findByLabelText('验证码'), '000000')
  expect((await screen.findByRole('alert')).textContent).toBe('验证码不正确')
  // Typing replaces the wrong code.
  await userEvent.keyboard('123456')
  expect(screen.getByLabelText<HTMLInputElement>('验证码').value).toBe('123456')
  await waitFor(() =>
    expect(seen.map(({ body }) => body)).toContainEqual(expect.stringContaining('123456')),
  )
})

it('shows the wait when a code was asked for too soon, and lets the earlier one in', async () => {
  const body = { message: '', errors: [{ error: '请稍后再试', code: 'throttled' }] }
  stubServer({ '/send-login-code-email': refusal(429, body, { 'retry-after': '42' }) })
  show()
  await userEvent.click(tab('验证码登录'))
  await userEvent.type(screen.getByLabelText('邮箱'), 'lin@example.com{Enter}')
  expect(await screen.findByRole('button', { name: /请在 4\d 秒后重试/ })).toBeShown()
  await userEvent.click(screen.getByRole('button', { name: '已收到验证码，直接输入' }))
  expect(screen.getByLabelText('验证码')).toBeShown()
  expect(screen.getByText('lin@example.com')).toBeShown()
})
