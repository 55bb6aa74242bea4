/** Light, dark, or following the system. index.html applies the same before the first paint. */
import { create } from 'zustand'
import { readStored, store } from '../lib/storage'

export const THEME_MODES = ['light', 'dark', 'system'] as const
export type ThemeMode = (typeof THEME_MODES)[number]

const STORAGE_KEY = 'atrium.theme'

interface ThemeStore {
  mode: ThemeMode
  systemIsDark: boolean
  /** The user has asked the system for reduced motion. */
  lessMotion: boolean
  /** Paper is always light. */
  printing: boolean
}

const prefersDark = window.matchMedia?.('(prefers-color-scheme: dark)')
const prefersLessMotion = window.matchMedia?.('(prefers-reduced-motion: reduce)')
const onPaper = window.matchMedia?.('print')

export const useThemeStore = create<ThemeStore>()(() => ({
  mode: storedMode(),
  systemIsDark: prefersDark?.matches ?? false,
  lessMotion: prefersLessMotion?.matches ?? false,
  printing: onPaper?.matches ?? false,
}))

prefersDark?.addEventListener('change', ({ matches }) => {
  useThemeStore.setState({ systemIsDark: matches })
})
prefersLessMotion?.addEventListener('change', ({ matches }) => {
  useThemeStore.setState({ lessMotion: matches })
})
onPaper?.addEventListener('change', ({ matches }) => {
  useThemeStore.setState({ printing: matches })
})

export function chooseTheme(mode: ThemeMode): void {
  store(STORAGE_KEY, mode)
  useThemeStore.setState({ mode })
}

export function useIsDark(): boolean {
  return useThemeStore(
    ({ mode, systemIsDark, printing }) => !printing && isDark(mode, systemIsDark),
  )
}

export function isDark(mode: ThemeMode, systemIsDark: boolean): boolean {
  return mode === 'dark' || (mode === 'system' && systemIsDark)
}

function storedMode(): ThemeMode {
  const stored = readStored(STORAGE_KEY)
  return THEME_MODES.find((mode) => mode === stored) ?? 'system'
}
