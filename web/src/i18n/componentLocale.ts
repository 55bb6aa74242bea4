/** Ant Design's component texts and the date library's locale, loaded per language. */
import type { Locale } from 'antd/es/locale'
import enUS from 'antd/es/locale/en_US'
import dayjs from 'dayjs'
import { useEffect, useState } from 'react'
import type { LanguageCode } from './language'

const loaders: Record<LanguageCode, () => Promise<{ locale: Locale; dates: string }>> = {
  'zh-CN': async () => {
    const [{ default: locale }] = await Promise.all([
      import('antd/es/locale/zh_CN'),
      import('dayjs/locale/zh-cn'),
    ])
    return { locale, dates: 'zh-cn' }
  },
  // Both libraries have English built in.
  'en-US': async () => ({ locale: enUS, dates: 'en' }),
}

/**
 * Never undefined: when Ant Design gets its first locale, it wraps its children, which React treats
 * as a different tree. The page would be rebuilt, losing input and announcements.
 */
export function useComponentLocale(code: LanguageCode): Locale {
  const [locale, setLocale] = useState<Locale>(enUS)
  useEffect(() => {
    let superseded = false
    loaders[code]().then(
      (loaded) => {
        if (superseded) return
        dayjs.locale(loaded.dates)
        setLocale(loaded.locale)
      },
      // The console's own pack has loaded and covers what matters; these are only the components'
      // texts.
      () => {},
    )
    return () => {
      superseded = true
    }
  }, [code])
  return locale
}
