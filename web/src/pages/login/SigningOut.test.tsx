import { render } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { browser } from '../../lib/navigation'
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
