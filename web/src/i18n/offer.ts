/**
 * The console greets everyone in Chinese. A browser that prefers English gets the offer to switch,
 * once: whoever has chosen a language, or has seen the offer, is not asked again.
 */
import { create } from 'zustand'
import { readStored, store } from '../lib/storage'
import { hasChosenLanguage, isLanguage } from './language'

const STORAGE_KEY = 'atrium.languageOffered'

export const useLanguageOffer = create<{ open: boolean }>()(() => ({ open: false }))

/** At the start, before a language is loaded: loading one counts as a choice from then on. */
export function offerLanguage(requested: unknown, preferred = navigator.languages): void {
  const open =
    !isLanguage(requested) &&
    !hasChosenLanguage() &&
    readStored(STORAGE_KEY) === null &&
    prefersEnglish(preferred)
  useLanguageOffer.setState({ open })
}

/** It was on screen. */
export function rememberOffer(): void {
  store(STORAGE_KEY, 'yes')
}

export function closeOffer(): void {
  useLanguageOffer.setState({ open: false })
}

/** Of the languages that we speak, the one that stands first. */
function prefersEnglish(preferred: readonly string[]): boolean {
  const spoken = preferred.map((code) => code.toLowerCase().split('-')[0])
  return spoken.find((code) => code === 'en' || code === 'zh') === 'en'
}
