/**
 * An operator's link: `/login#link=…`. The token stands in the fragment, which no server sees, and
 * leaves the address bar before anything is drawn: whoever reads over a shoulder, in the history or
 * in a screenshot must not be able to use it.
 */
import { create } from 'zustand'
import { isSignInPage } from './destination'

export const useSignInLink = create<{ token: string | null }>()(() => ({ token: null }))

/** Also while the console is open: a link pasted over the address of the sign-in page loads nothing. */
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
