/** Which way of signing in is shown first: the one used last in this browser. */
import { readStored, store } from '../../lib/storage'
import { SIGN_IN_PROVIDERS, type SignInProvider } from '../../session/signInProviders'

export const SIGN_IN_TABS = ['password', 'code'] as const
export type SignInTab = (typeof SIGN_IN_TABS)[number]
export type SignInMethod = SignInTab | SignInProvider

const STORAGE_KEY = 'atrium.signInMethod'

/** Whether a provider is still there is for the page to say: it knows once the server has answered. */
export function rememberedMethod(): SignInMethod {
  const stored = readStored(STORAGE_KEY)
  return [...SIGN_IN_TABS, ...SIGN_IN_PROVIDERS].find((method) => method === stored) ?? 'password'
}

export function rememberMethod(method: SignInMethod): void {
  store(STORAGE_KEY, method)
}
