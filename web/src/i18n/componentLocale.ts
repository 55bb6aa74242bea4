/** The words inside Ant Design's components and the date library's locale, fetched per language. */
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
 * Never without one: Ant Design puts a first locale around everything inside it, which React takes
 * for another page. What was on screen would be built anew, without what was typed or announced.
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
      // The pack itself is there and says everything that matters; these are the components' own words.
      () => {},
    )
    return () => {
      superseded = true
    }
  }, [code])
  return locale
}
