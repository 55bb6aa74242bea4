import { QueryClientProvider } from '@tanstack/react-query'
import { ConfigProvider } from 'antd'
import { useEffect, useMemo } from 'react'
import { RouterProvider } from 'react-router'
import { queryClient } from './api/queryClient'
import { Contained } from './components/Contained'
import { LanguageFailure } from './components/LanguageFailure'
import { LoadingScreen } from './components/LoadingScreen'
import { NoticeHost } from './components/notices/notices'
import { StandingNotice } from './components/notices/StandingNotice'
import { ReauthHost } from './components/reauth'
import { VersionTip } from './components/version/VersionTip'
import { Watermark } from './components/watermark/Watermark'
import { useComponentLocale } from './i18n/componentLocale'
import { useLanguageFailure, useLanguageStore } from './i18n/store'
import { styleNonce } from './lib/styleNonce'
import { antdTheme } from './theme/antdTheme'
import { palettes } from './theme/palette'
import { useIsDark, useThemeStore } from './theme/store'

type Router = React.ComponentProps<typeof RouterProvider>['router']

const csp = styleNonce ? { nonce: styleNonce } : undefined

// Show labels exactly as written; screen readers would read out a space between two characters.
const PLAIN_LABELS = { autoInsertSpace: false }

export function App({ router }: { router: Router }) {
  const dark = useIsDark()
  const language = useLanguageStore((state) => state.currentLang)
  const locale = useComponentLocale(language)
  const lessMotion = useThemeStore((state) => state.lessMotion)
  const theme = useMemo(() => antdTheme(dark, lessMotion), [dark, lessMotion])

  useEffect(() => {
    const scheme = dark ? 'dark' : 'light'
    document.documentElement.dataset.theme = scheme
    document
      .querySelector('meta[name="theme-color"]')
      ?.setAttribute('content', palettes[scheme].surface)
  }, [dark])

  return (
    <ConfigProvider button={PLAIN_LABELS} csp={csp} locale={locale} theme={theme}>
      <QueryClientProvider client={queryClient}>
        <InLanguage>
          <RouterProvider router={router} />
          <Contained>
            <ReauthHost />
          </Contained>
          <Contained>
            <NoticeHost />
          </Contained>
          <Contained>
            <StandingNotice />
          </Contained>
          <Contained>
            <VersionTip />
          </Contained>
          <Contained>
            <Watermark />
          </Contained>
        </InLanguage>
      </QueryClientProvider>
    </ConfigProvider>
  )
}

/** Renders nothing until a language pack has loaded; a failed pack says so and can be retried. */
function InLanguage({ children }: { children: React.ReactNode }) {
  const { currentLang, allLangPackage } = useLanguageStore()
  const failed = useLanguageFailure((state) => state.failed)
  const ready = allLangPackage[currentLang] !== undefined

  useEffect(() => {
    if (ready) document.documentElement.lang = currentLang
  }, [ready, currentLang])

  return (
    <>
      {ready ? children : !failed && <LoadingScreen />}
      {failed && <LanguageFailure code={failed} wholePage={!ready} />}
    </>
  )
}
