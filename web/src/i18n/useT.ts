import { useCallback } from 'react'
import { translate, useLanguageStore, type Translate } from './store'

export function useT(): Translate {
  const pack = useLanguageStore((state) => state.langPackage)
  return useCallback((key, params, fallback) => translate(pack, key, params, fallback), [pack])
}
