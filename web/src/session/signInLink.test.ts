import { beforeEach, expect, it } from 'vitest'
import { forgetSignInLink, useSignInLink, watchForSignInLink } from './signInLink'

const address = () => window.location.pathname + window.location.search + window.location.hash
const token = () => useSignInLink.getState().token

function open(path: string) {
  window.history.replaceState({ kept: true }, '', path)
  watchForSignInLink()
}

beforeEach(forgetSignInLink)

it('takes the token out of the address at once, and nothing else', () => {
  open('/login?redirect=%2F403#link=abc-DEF_123')
  expect(token()).toBe('abc-DEF_123')
  expect(address()).toBe('/login?redirect=%2F403')
  expect(window.history.state).toEqual({ kept: true })
})

it('leaves every other address and fragment alone', () => {
  for (const path of ['/login#top', '/account/user-info#link=abc', '/login#link=', '/login']) {
    open(path)
    expect(token()).toBeNull()
    expect(address()).toBe(path)
  }
})

it('notices a link that is pasted over the open page', async () => {
  open('/login')
  window.location.hash = '#link=later'
  await expect.poll(token).toBe('later')
  expect(address()).toBe('/login')
})
