import { act, render, screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { storeLanguage } from '../i18n/language'
import { closeOffer, offerLanguage } from '../i18n/offer'
import { changeLanguage, useLanguageStore } from '../i18n/store'
import { user } from '../testing/app'
import { readPack } from '../testing/packs'
import { LanguageOffer } from './LanguageOffer'

beforeEach(() => {
  localStorage.clear()
  closeOffer()
  useLanguageStore.setState((state) => ({
    allLangPackage: { ...state.allLangPackage, 'en-US': readPack('en-US') },
  }))
})

/** A visit: what the console does before rendering, then a page with the offer. */
function visit(preferred: string[], requested?: string) {
  offerLanguage(requested, preferred)
  return render(<LanguageOffer />)
}
const offer = () => screen.queryByRole('button', { name: 'Switch to English' })

it.each([
  [['en-GB', 'zh-CN'], true],
  [['fr-FR', 'en-US'], true],
  [['zh-TW', 'en-US'], false],
  [['fr-FR'], false],
  [[], false],
])('a browser that prefers %j is offered English: %s', (preferred, offered) => {
  visit(preferred)
  expect(offer() !== null).toBe(offered)
})

it('is made once, whatever came of it', () => {
  visit(['en-US']).unmount()
  visit(['en-US'])
  expect(offer()).toBeNull()
})

it('is not made to someone who has chosen, by a switch or in the address', () => {
  visit(['en-US'], 'zh-CN').unmount()
  expect(offer()).toBeNull()
  storeLanguage('zh-CN')
  visit(['en-US'])
  expect(offer()).toBeNull()
})

it('is taken', async () => {
  visit(['en-US'])
  await user.click(offer()!)
  expect(useLanguageStore.getState().currentLang).toBe('en-US')
  expect(offer()).toBeNull()
  await act(() => changeLanguage('zh-CN'))
})

it('is waved away', async () => {
  visit(['en-US'])
  await user.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(offer()).toBeNull()
})
