import { useCallback } from 'react'
import { translate, useLanguageStore, type Translate } from './store'

export function useT(): Translate {
  const currentLang = useLanguageStore((state) => state.currentLang)
  const langPackage = useLanguageStore((state) => state.langPackage)
  return useCallback(
    (key, params, fallback) => translate({ currentLang, langPackage }, key, params, fallback),
    [currentLang, langPackage],
  )
}
