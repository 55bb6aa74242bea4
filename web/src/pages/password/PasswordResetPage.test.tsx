import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { expect, it, vi } from 'vitest'
import { queryClient } from '../../api/queryClient'
import { bindNavigator } from '../../lib/navigation'
import { user } from '../../testing/app'
import { ok, refusal, stubServer } from '../../testing/server'
import PasswordResetPage from './PasswordResetPage'

async function show(answer: () => Response) {
  const seen = stubServer({
    '/password/reset/token': ok({ email: 'lin@example.com' }),
    '/password/reset': answer,
  })
  const router = createMemoryRouter([{ path: '/pwdReset/:token', Component: PasswordResetPage }], {
    initialEntries: ['/pwdReset/the-token'],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  await user.type(await screen.findByLabelText('新密码'), 'nine quiet harbours')
  await user.click(screen.getByRole('button', { name: '设置新密码' }))
  return seen
}

it('sends the token in the body, never in an address', async () => {
  const navigate = vi.fn()
  bindNavigator(navigate)
  const seen = await show(ok({}))
  await vi.waitFor(() => expect(navigate).toHaveBeenCalledOnce())
  expect(navigate.mock.lastCall).toEqual([
    '/login',
    { replace: true, state: { notice: 'passwordReset', email: 'lin@example.com' } },
  ])
  const { path, query, body } = seen.find(({ path: asked }) => asked === '/password/reset')!
  expect(path + query).not.toContain('the-token')
  expect(JSON.parse(body)).toEqual({ token: 'the-token', password: 'nine quiet harbours' })
})

it('says that a link was used up while its form was open', async () => {
  await show(refusal(410, { message: '', errors: [{ error: '已失效', code: 'link_gone' }] }))
  expect(await screen.findByRole('heading', { name: '链接已失效' })).toBeShown()
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'))
  expect(links).toEqual(['/forgetPwd', '/login'])
})
