/**
 * The console defaults to Chinese. A browser that prefers English gets a one-time offer to switch,
 * unless a language has been chosen already.
 */
import { create } from 'zustand'
import { readStored, store } from '../lib/storage'
import { hasChosenLanguage, isLanguage } from './language'

const STORAGE_KEY = 'atrium.languageOffered'

export const useLanguageOffer = create<{ open: boolean }>()(() => ({ open: false }))

/** Call at start-up, before a language loads: loading one counts as a choice from then on. */
export function offerLanguage(requested: unknown, preferred = navigator.languages): void {
  const open =
    !isLanguage(requested) &&
    !hasChosenLanguage() &&
    readStored(STORAGE_KEY) === null &&
    prefersEnglish(preferred)
  useLanguageOffer.setState({ open })
}

/** Records that the offer was shown. */
export function rememberOffer(): void {
  store(STORAGE_KEY, 'yes')
}

export function closeOffer(): void {
  useLanguageOffer.setState({ open: false })
}

/** Whether English comes first among the supported languages. */
function prefersEnglish(preferred: readonly string[]): boolean {
  const spoken = preferred.map((code) => code.toLowerCase().split('-')[0])
  return spoken.find((code) => code === 'en' || code === 'zh') === 'en'
}
