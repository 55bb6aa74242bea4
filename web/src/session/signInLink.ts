/**
 * An operator's link: `/login#link=…`. The token is in the fragment, which never reaches a server,
 * and is removed from the address bar before anything renders, so that nobody can copy it from the
 * screen, the history, or a screenshot.
 */
import { create } from 'zustand'
import { isSignInPage } from './destination'

export const useSignInLink = create<{ token: string | null }>()(() => ({ token: null }))

/**
 * Also while the console is open: pasting a link over the sign-in page's URL doesn't reload the
 * page.
 */
export function watchForSignInLink(): void {
  takeLink()
  window.addEventListener('hashchange', takeLink)
}

export function forgetSignInLink(): void {
  useSignInLink.setState({ token: null })
}

function takeLink(): void {
  const { pathname, search, hash } = window.location
  const token = /^#link=([^&]+)$/.exec(hash)?.[1]
  if (!token || !isSignInPage(pathname)) return
  window.history.replaceState(window.history.state, '', pathname + search)
  useSignInLink.setState({ token })
}
