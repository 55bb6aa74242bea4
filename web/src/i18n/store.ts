/**
 * Language packs. The store holds what the specification names and nothing else; which language
 * was asked for last, and which failed, is kept beside it.
 */
import { create } from 'zustand'
import type zhCN from '../../public/locale/zh-CN.json'
import { fetchLanguagePack, type LanguagePack } from '../api/locale'
import { isolated } from '../lib/bidi'
import { chooseLanguage, DEFAULT_LANGUAGE, storeLanguage, type LanguageCode } from './language'

export type MessageKey = keyof typeof zhCN
export type MessageParams = Record<string, string | number>

interface LanguageStore {
  /** Every pack loaded so far. */
  allLangPackage: Partial<Record<LanguageCode, LanguagePack>>
  /** The active pack; empty until the first one has arrived. */
  langPackage: LanguagePack
  currentLang: LanguageCode
  /** Codes being loaded right now. */
  loadKeying: LanguageCode[]
}

export const useLanguageStore = create<LanguageStore>()(() => ({
  allLangPackage: {},
  langPackage: {},
  currentLang: DEFAULT_LANGUAGE,
  loadKeying: [],
}))

/** The language whose pack could not be loaded, until it is retried or waved away. */
export const useLanguageFailure = create<{ failed: LanguageCode | null }>()(() => ({
  failed: null,
}))

/** The last language asked for: a slow pack must not overrule a choice made while it traveled. */
let wanted: LanguageCode = DEFAULT_LANGUAGE

export async function changeLanguage(requested?: unknown): Promise<void> {
  const code = chooseLanguage(requested)
  wanted = code
  useLanguageFailure.setState({ failed: null })

  const { allLangPackage, loadKeying } = useLanguageStore.getState()
  const cached = allLangPackage[code]
  if (cached) return makeCurrent(code, cached)
  if (loadKeying.includes(code)) return

  useLanguageStore.setState({ loadKeying: [...loadKeying, code] })
  try {
    const pack = await fetchLanguagePack(code)
    useLanguageStore.setState((state) => ({
      allLangPackage: { ...state.allLangPackage, [code]: pack },
    }))
    if (wanted === code) makeCurrent(code, pack)
  } catch {
    if (wanted === code) useLanguageFailure.setState({ failed: code })
  } finally {
    useLanguageStore.setState((state) => ({
      loadKeying: state.loadKeying.filter((loading) => loading !== code),
    }))
  }
}

export function dismissLanguageFailure(): void {
  wanted = useLanguageStore.getState().currentLang
  useLanguageFailure.setState({ failed: null })
}

function makeCurrent(code: LanguageCode, pack: LanguagePack): void {
  // Saved only now: a language that cannot be loaded must not greet the person at the next visit.
  storeLanguage(code)
  useLanguageStore.setState({ currentLang: code, langPackage: pack })
}

/** A language and its words. */
export type Tongue = Pick<LanguageStore, 'currentLang' | 'langPackage'>

/**
 * The text of a key, its {placeholders} filled; a missing key gives the fallback. Numbers are
 * written as the language writes them, so that no text can forget the thousands separators, and
 * names cannot reorder the sentence they stand in.
 */
export function translate(
  { currentLang, langPackage }: Tongue,
  key: string,
  params: MessageParams = {},
  fallback: string = key,
): string {
  const text = Object.hasOwn(langPackage, key) ? langPackage[key] : undefined
  return (text ?? fallback).replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(params, name) ? written(params[name]!, currentLang) : placeholder,
  )
}

const written = (value: string | number, language: LanguageCode) =>
  typeof value === 'string' ? isolated(value) : value.toLocaleString(language)

export type Translate = (key: MessageKey, params?: MessageParams, fallback?: string) => string

/** For code outside components; components use `useT`, which follows a switch of language. */
export const t: Translate = (key, params, fallback) =>
  translate(useLanguageStore.getState(), key, params, fallback)
