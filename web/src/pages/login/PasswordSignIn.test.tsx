import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { bindNavigator } from '../../lib/navigation'
import { aUser, ok, refusal, startUpAnswers, stubServer } from '../../testing/server'
import { PasswordSignIn } from './PasswordSignIn'

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
})

const email = () => screen.getByLabelText('邮箱')
const password = () => screen.getByLabelText('密码')
const submit = () => screen.getByRole('button', { name: /登\s*录/ })

async function fill() {
  await userEvent.type(email(), ' lin@example.com ')
  await userEvent.type(password(), 'correct horse battery')
}

it('tells what is missing when a field is left, and asks the server nothing', async () => {
  const seen = stubServer({})
  render(<PasswordSignIn search="" />)
  await userEvent.click(email())
  await userEvent.tab()
  expect(await screen.findByText('请输入邮箱')).toBeShown()
  expect(email().getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById(email().getAttribute('aria-describedby')!)?.textContent).toBe(
    '请输入邮箱',
  )
  await userEvent.click(submit())
  expect(await screen.findByText('请输入密码')).toBeShown()
  expect(seen).toEqual([])
})

it('can be filled in by a password manager', () => {
  render(<PasswordSignIn search="" />)
  expect(email().getAttribute('autocomplete')).toBe('username')
  expect(password().getAttribute('autocomplete')).toBe('current-password')
  expect(password().getAttribute('type')).toBe('password')
})

it('sends once, however often it is pressed, and leads on', async () => {
  let answer!: (response: Response) => void
  const seen = stubServer({
    ...startUpAnswers,
    '/login': () => new Promise<Response>((resolve) => (answer = resolve)),
  })
  render(<PasswordSignIn search="?redirect=%2Fdata-dashboard" />)
  await fill()
  await userEvent.type(password(), '{Enter}')
  await userEvent.type(password(), '{Enter}')
  await userEvent.click(submit())
  expect(seen.filter(({ path }) => path === '/login')).toHaveLength(1)
  expect(JSON.parse(seen[0]!.body)).toEqual({
    email: 'lin@example.com',
    password: 'correct horse battery',
  })
  answer(ok(aUser)())
  await waitFor(() =>
    expect(navigate).toHaveBeenCalledExactlyOnceWith('/data-dashboard', { replace: true }),
  )
})

it('says what is wrong in the form and keeps what was typed', async () => {
  const body = { message: '', errors: [{ error: '邮箱或密码不正确', code: 'bad_credentials' }] }
  stubServer({ ...startUpAnswers, '/login': refusal(401, body) })
  render(<PasswordSignIn search="" />)
  await fill()
  await userEvent.click(submit())
  expect((await screen.findByRole('alert')).textContent).toBe('邮箱或密码不正确')
  expect((password() as HTMLInputElement).value).toBe('correct horse battery')
  expect(navigate).not.toHaveBeenCalled()
})

it('counts down where the server wants no more tries', async () => {
  const body = { message: '', errors: [{ error: '尝试次数过多', code: 'throttled' }] }
  stubServer({ ...startUpAnswers, '/login': refusal(429, body, { 'retry-after': '2' }) })
  render(<PasswordSignIn search="" />)
  await fill()
  await userEvent.click(submit())
  const wait = await screen.findByRole<HTMLButtonElement>('button', { name: /秒后重试/ })
  expect(wait.disabled).toBe(true)
  expect(screen.getByText('尝试次数过多')).toBeShown()
  await waitFor(() => expect((submit() as HTMLButtonElement).disabled).toBe(false))
})
