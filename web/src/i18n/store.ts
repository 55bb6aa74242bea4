/**
 * Language packs. The store holds only what the specification names; the last requested and the
 * failed language are kept beside it.
 */
import { create } from 'zustand'
import type zhCN from '../../public/locale/zh-CN.json'
import { fetchLanguagePack, type LanguagePack } from '../api/locale'
import { isolated } from '../lib/bidi'
import { chooseLanguage, DEFAULT_LANGUAGE, storeLanguage, type LanguageCode } from './language'

export type MessageKey = keyof typeof zhCN
export type MessageParams = Record<string, string | number>

interface LanguageStore {
  /** All packs loaded so far. */
  allLangPackage: Partial<Record<LanguageCode, LanguagePack>>
  /** The active pack; empty until the first one has loaded. */
  langPackage: LanguagePack
  currentLang: LanguageCode
  /** Codes being loaded. */
  loadKeying: LanguageCode[]
}

export const useLanguageStore = create<LanguageStore>()(() => ({
  allLangPackage: {},
  langPackage: {},
  currentLang: DEFAULT_LANGUAGE,
  loadKeying: [],
}))

/** The language whose pack failed to load, until retried or dismissed. */
export const useLanguageFailure = create<{ failed: LanguageCode | null }>()(() => ({
  failed: null,
}))

/** The last language requested: a slow pack must not override a later choice. */
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
  // Saved only after loading: a language that fails to load must not be the default on the next
  // visit.
  storeLanguage(code)
  useLanguageStore.setState({ currentLang: code, langPackage: pack })
}

/** A language and its pack. */
export type Tongue = Pick<LanguageStore, 'currentLang' | 'langPackage'>

/**
 * A key's text with its {placeholders} filled in; a missing key gives the fallback. Numbers are
 * formatted for the language, and names are isolated so they can't reorder the surrounding
 * sentence.
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

/** For code outside components; components use `useT`, which follows language switches. */
export const t: Translate = (key, params, fallback) =>
  translate(useLanguageStore.getState(), key, params, fallback)
