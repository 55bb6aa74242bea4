/** The available languages, and how one is chosen. */
import { readStored, store } from '../lib/storage'

export const LANGUAGES = ['zh-CN', 'en-US'] as const
export type LanguageCode = (typeof LANGUAGES)[number]

export const DEFAULT_LANGUAGE: LanguageCode = 'zh-CN'
const STORAGE_KEY = 'currentLang'

export function isLanguage(code: unknown): code is LanguageCode {
  return LANGUAGES.some((known) => known === code)
}

export function storedLanguage(): LanguageCode {
  const stored = readStored(STORAGE_KEY)
  return isLanguage(stored) ? stored : DEFAULT_LANGUAGE
}

export function hasChosenLanguage(): boolean {
  return readStored(STORAGE_KEY) !== null
}

export function storeLanguage(code: LanguageCode): void {
  store(STORAGE_KEY, code)
}

/** The requested language if supported, else the saved choice, else Chinese. */
export function chooseLanguage(requested: unknown): LanguageCode {
  return isLanguage(requested) ? requested : storedLanguage()
}
