import { render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { browser } from '../../lib/navigation'
import { spaced, user } from '../../testing/app'
import { ok, stubServer } from '../../testing/server'
import { SigningOut } from './SigningOut'

it('signs out and keeps everything else that the address says', async () => {
  const replace = vi.spyOn(browser, 'replace').mockImplementation(() => {})
  const seen = stubServer({ '/logout': ok({}) })
  render(<SigningOut search="?lang=en-US&logout&redirect=%2Fa%3Fb%3D1&utm_source=mail&register" />)
  await vi.waitFor(() => expect(replace).toHaveBeenCalled())
  expect(replace).toHaveBeenCalledExactlyOnceWith(
    '/login?lang=en-US&redirect=%2Fa%3Fb%3D1&utm_source=mail&register',
  )
  expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /logout'])
  replace.mockRestore()
})

it('says so when it fails, and can be tried again', async () => {
  const replace = vi.spyOn(browser, 'replace').mockImplementation(() => {})
  const answers: Parameters<typeof stubServer>[0] = {}
  stubServer(answers)
  render(<SigningOut search="?logout" />)
  expect(await screen.findByRole('heading', { name: '未能退出登录' })).toBeShown()
  expect(replace).not.toHaveBeenCalled()
  answers['/logout'] = ok({})
  await user.click(screen.getByRole('button', { name: spaced('重试') }))
  await vi.waitFor(() => expect(replace).toHaveBeenCalledExactlyOnceWith('/login'))
})
