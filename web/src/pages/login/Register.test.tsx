import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { expect, it } from 'vitest'
import { environmentQuery, type Environment } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { user } from '../../testing/app'
import { anEnvironment, refusal, stubServer } from '../../testing/server'
import { Register } from './Register'

function show(registration: 'open' | 'invite') {
  const environment = { ...anEnvironment, registration } as Environment
  queryClient.setQueryData(environmentQuery.queryKey, environment)
  render(
    <QueryClientProvider client={queryClient}>
      <MemoryRouter>
        <Register search="?register&redirect=%2F403" />
      </MemoryRouter>
    </QueryClientProvider>,
  )
}

it('is closed where people come by invitation only, and leads back', () => {
  show('invite')
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('注册需要邀请')
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(screen.getByRole('link').getAttribute('href')).toBe('/login?redirect=%2F403')
})

it('counts down from what the server says to whoever asks again too soon', async () => {
  const errors = [{ error: '请求过于频繁', code: 'throttled' }]
  stubServer({ '/register': refusal(429, { message: '', errors }, { 'retry-after': '42' }) })
  show('open')
  await user.type(screen.getByRole('textbox', { name: '邮箱' }), 'lin@example.com')
  await user.click(screen.getByRole('button'))
  const wait = await screen.findByRole<HTMLButtonElement>('button', { name: /请在 4[12] 秒后重试/ })
  expect(wait.disabled).toBe(true)
  expect(screen.getByText('请求过于频繁')).toBeShown()
})
