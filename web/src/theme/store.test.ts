import { beforeEach, expect, it, vi } from 'vitest'

/** The system's setting, changed by the test. */
function system(dark: boolean) {
  const listeners: ((event: { matches: boolean }) => void)[] = []
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('color-scheme') && dark,
    addEventListener: (_: string, listener: (event: { matches: boolean }) => void) => {
      if (query.includes('color-scheme')) listeners.push(listener)
    },
  }))
  return (matches: boolean) => listeners.forEach((listener) => listener({ matches }))
}

const load = async () => {
  vi.resetModules()
  return import('./store')
}

beforeEach(() => localStorage.clear())

it('follows the system while it is running, unless the person has chosen', async () => {
  const turn = system(false)
  const { chooseTheme, isDark, useThemeStore } = await load()
  const dark = () => {
    const { mode, systemIsDark } = useThemeStore.getState()
    return isDark(mode, systemIsDark)
  }
  expect(dark()).toBe(false)
  turn(true)
  expect(dark()).toBe(true)
  chooseTheme('light')
  expect(dark()).toBe(false)
  turn(false)
  chooseTheme('dark')
  expect(dark()).toBe(true)
  chooseTheme('system')
  expect(dark()).toBe(false)
})

it.each([
  ['dark', 'dark'],
  ['light', 'light'],
  ['sepia', 'system'],
  [null, 'system'],
])('remembers: %s is %s', async (stored, mode) => {
  system(false)
  if (stored) localStorage.setItem('atrium.theme', stored)
  const { useThemeStore } = await load()
  expect(useThemeStore.getState().mode).toBe(mode)
})

it('keeps the choice for the next visit', async () => {
  system(false)
  const { chooseTheme } = await load()
  chooseTheme('dark')
  expect(localStorage.getItem('atrium.theme')).toBe('dark')
})
