import { act, render, screen } from '@testing-library/react'
import { createMemoryRouter } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { App } from './App'
import * as notices from './components/notices/notices'
import * as standing from './components/notices/StandingNotice'
import * as reauth from './components/reauth'
import * as version from './components/version/VersionTip'
import * as watermark from './components/watermark/Watermark'
import { useLanguageStore } from './i18n/store'
import { readPack } from './testing/packs'
import { stubServer } from './testing/server'

const parts = {
  Watermark: () => vi.spyOn(watermark, 'Watermark'),
  VersionTip: () => vi.spyOn(version, 'VersionTip'),
  NoticeHost: () => vi.spyOn(notices, 'NoticeHost'),
  StandingNotice: () => vi.spyOn(standing, 'StandingNotice'),
  ReauthHost: () => vi.spyOn(reauth, 'ReauthHost'),
}
type Part = keyof typeof parts

beforeEach(() => {
  stubServer({})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  useLanguageStore.setState({
    currentLang: 'zh-CN',
    allLangPackage: { 'zh-CN': readPack('zh-CN') },
  })
})

it.each(Object.keys(parts) as Part[])('a fault in %s costs that part only', async (part) => {
  for (const quiet of Object.values(parts)) quiet().mockReturnValue(null)
  const broken = parts[part]().mockImplementation(() => {
    throw new Error(`${part} broke`)
  })
  const router = createMemoryRouter([{ path: '/', element: <p>the page</p> }])
  await act(async () => {
    render(<App router={router} />)
    await Promise.resolve()
  })
  expect(broken).toHaveBeenCalled()
  expect(screen.getByText('the page').isConnected).toBe(true)
})
