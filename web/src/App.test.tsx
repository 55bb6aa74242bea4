import { act, render, screen } from '@testing-library/react'
import { createMemoryRouter } from 'react-router'
import { beforeEach, expect, it, vi } from 'vitest'
import { App } from './App'
import { useLanguageStore } from './i18n/store'
import { readPack } from './testing/packs'
import { stubServer } from './testing/server'

const faulty = vi.hoisted(() => ({ part: '' }))
const breaking = vi.hoisted(() => (name: string) => ({
  [name]: () => {
    if (faulty.part === name) throw new Error(`${name} broke`)
    return null
  },
}))
vi.mock('./components/watermark/Watermark', () => breaking('Watermark'))
vi.mock('./components/version/VersionTip', () => breaking('VersionTip'))
vi.mock('./components/notices/notices', () => breaking('NoticeHost'))
vi.mock('./components/notices/StandingNotice', () => breaking('StandingNotice'))
vi.mock('./components/reauth', () => breaking('ReauthHost'))

beforeEach(() => {
  stubServer({})
  vi.spyOn(console, 'error').mockImplementation(() => {})
  useLanguageStore.setState({
    currentLang: 'zh-CN',
    allLangPackage: { 'zh-CN': readPack('zh-CN') },
  })
})

it.each(['Watermark', 'VersionTip', 'NoticeHost', 'StandingNotice', 'ReauthHost'])(
  'a fault in %s costs that part only',
  async (part) => {
    faulty.part = part
    const router = createMemoryRouter([{ path: '/', element: <p>the page</p> }])
    await act(async () => {
      render(<App router={router} />)
      await Promise.resolve()
    })
    expect(screen.getByText('the page').isConnected).toBe(true)
  },
)
