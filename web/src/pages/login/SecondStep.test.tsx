import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/queryClient'
import { bindNavigator } from '../../lib/navigation'
import { aUser, ok, refusal, startUpAnswers, stubServer } from '../../testing/server'
import { SignInMethods } from './SignInMethods'

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
})

async function reachSecondStep() {
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <SignInMethods search="?redirect=%2F403" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  await userEvent.type(screen.getByLabelText('邮箱'), 'lin@example.com')
  await userEvent.type(screen.getByLabelText('密码'), 'correct horse battery{Enter}')
  expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe('两步验证')
}

const firstStep = { ...startUpAnswers, '/login': ok({ mfa_required: true }) }
const bodies = (seen: { path: string; body: string }[]) =>
  seen.filter(({ path }) => path === '/login/mfa').map(({ body }) => body)

it('takes the code of the app as soon as it is whole, and leads on', async () => {
  const seen = stubServer({ ...firstStep, '/login/mfa': ok(aUser) })
  await reachSecondStep()
  const code = screen.getByLabelText('验证码')
  expect(document.activeElement).toBe(code)
  expect(code.getAttribute('autocomplete')).toBe('one-time-code')
  expect(code.getAttribute('inputmode')).toBe('numeric')
  await userEvent.type(code, '123456')
  await waitFor(() => expect(navigate).toHaveBeenCalledWith('/403', { replace: true }))
  expect(bodies(seen)).toEqual(['{"code":"123456"}'])
})

it('takes a recovery code, however it is written', async () => {
  const seen = stubServer({ ...firstStep, '/login/mfa': ok(aUser) })
  await reachSecondStep()
  await userEvent.click(screen.getByRole('button', { name: '使用恢复码' }))
  const code = screen.getByLabelText<HTMLInputElement>('恢复码')
  await userEvent.type(code, 'ABCDE{Enter}')
  expect(await screen.findByText(/请输入 10 位恢复码/)).toBeShown()
  await userEvent.type(code, 'FGHIJ')
  expect(code.value).toBe('abcde-fghij')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(navigate).toHaveBeenCalledOnce())
  expect(bodies(seen)).toEqual(['{"code":"abcde-fghij"}'])
})

it('says that a code is wrong, and stays', async () => {
  const body = { message: '', errors: [{ error: '验证码不正确', code: 'bad_code' }] }
  stubServer({ ...firstStep, '/login/mfa': refusal(401, body) })
  await reachSecondStep()
  await userEvent.type(screen.getByLabelText('验证码'), '000000')
  expect((await screen.findByRole('alert')).textContent).toBe('验证码不正确')
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('两步验证')
})

it('leads back with a word where the first step no longer counts', async () => {
  const body = { message: '', errors: [{ error: '已失效', code: 'token_gone' }] }
  stubServer({ ...firstStep, '/login/mfa': refusal(410, body) })
  await reachSecondStep()
  await userEvent.type(screen.getByLabelText('验证码'), '000000')
  expect((await screen.findByRole('alert')).textContent).toContain('请重新登录')
  expect(screen.getByLabelText<HTMLInputElement>('邮箱').value).toBe('lin@example.com')
})

it('counts down where the server wants no more tries', async () => {
  const body = { message: '', errors: [{ error: '尝试次数过多', code: 'throttled' }] }
  stubServer({ ...firstStep, '/login/mfa': refusal(429, body, { 'retry-after': '42' }) })
  await reachSecondStep()
  await userEvent.type(screen.getByLabelText('验证码'), '000000')
  expect(await screen.findByRole('button', { name: /请在 4\d 秒后重试/ })).toBeShown()
})
