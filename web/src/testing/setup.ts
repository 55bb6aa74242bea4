import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, expect } from 'vitest'
import { leaving } from '../api/client'
import { forgetConnection } from '../api/connection'
import { queryClient } from '../api/queryClient'
import { useOutdated } from '../components/onDemand'
import { useOverlay } from '../components/shortcuts/overlay'
import { useLanguageFailure, useLanguageStore } from '../i18n/store'
import { forgetSignInLink } from '../session/signInLink'
import { useThemeStore } from '../theme/store'
import { readPack } from './packs'
import './styles'

// In the page, and not inside anything hidden.
expect.extend({
  toBeShown: (element: unknown) => ({
    pass: element instanceof Element && element.isConnected && !element.closest('[hidden]'),
    message: () =>
      `${element instanceof Element ? element.outerHTML : String(element)} is not shown`,
  }),
})

// On a busy machine a page takes seconds to render; what never appears still fails its test.
configure({ asyncUtilTimeout: 10_000 })

const pack = readPack('zh-CN')

beforeEach(() => {
  localStorage.clear()
  queryClient.clear()
  leaving.clear()
  forgetConnection()
  forgetSignInLink()
  useOutdated.setState({ outdated: false })
  useOverlay.setState({ shown: null })
  useThemeStore.setState(useThemeStore.getInitialState())
  useLanguageStore.setState({
    allLangPackage: { 'zh-CN': pack },
    langPackage: pack,
    currentLang: 'zh-CN',
    loadKeying: [],
  })
  useLanguageFailure.setState({ failed: null })
  window.history.replaceState(null, '', '/')
})

afterEach(cleanup)
