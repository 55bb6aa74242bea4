import { beforeEach, expect, it, vi } from 'vitest'
import { takeReload } from './reloadOnce'

beforeEach(() => sessionStorage.clear())

it('is one for a build', () => {
  expect(takeReload(0, 'a')).toBe(true)
  expect(takeReload(1, 'a')).toBe(false)
  expect(takeReload(86_400_000, 'a')).toBe(false)
})

it('is another one for another build, but not at once', () => {
  expect(takeReload(0, 'a')).toBe(true)
  expect(takeReload(59_999, 'b')).toBe(false)
  expect(takeReload(60_000, 'b')).toBe(true)
  expect(takeReload(119_999, 'a')).toBe(false)
})

it('is none where it cannot be remembered', () => {
  const setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem })
  expect(takeReload(0, 'a')).toBe(false)
  vi.unstubAllGlobals()
  sessionStorage.setItem('atrium.reloaded', '{')
  expect(takeReload(0, 'a')).toBe(false)
})
