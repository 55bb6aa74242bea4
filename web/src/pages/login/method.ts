/** Which way of signing in is shown first: the one used last in this browser. */
import { readStored, store } from '../../lib/storage'
import { DOORS, type Door } from '../../session/doors'

export const SIGN_IN_TABS = ['password', 'code'] as const
export type SignInTab = (typeof SIGN_IN_TABS)[number]
export type SignInMethod = SignInTab | Door

const STORAGE_KEY = 'atrium.signInMethod'

/** Whether a door is still there is for the page to say: it knows once the server has answered. */
export function rememberedMethod(): SignInMethod {
  const stored = readStored(STORAGE_KEY)
  return [...SIGN_IN_TABS, ...DOORS].find((method) => method === stored) ?? 'password'
}

export function rememberMethod(method: SignInMethod): void {
  store(STORAGE_KEY, method)
}
