/** Which sign-in method is shown first: the last one used in this browser. */
import { readStored, store } from '../../lib/storage'
import { SIGN_IN_PROVIDERS, type SignInProvider } from '../../session/signInProviders'

export const SIGN_IN_TABS = ['password', 'code'] as const
export type SignInTab = (typeof SIGN_IN_TABS)[number]
export type SignInMethod = SignInTab | SignInProvider

const STORAGE_KEY = 'atrium.signInMethod'

/** Whether a provider still exists is up to the page, which knows once the server has answered. */
export function rememberedMethod(): SignInMethod {
  const stored = readStored(STORAGE_KEY)
  return [...SIGN_IN_TABS, ...SIGN_IN_PROVIDERS].find((method) => method === stored) ?? 'password'
}

export function rememberMethod(method: SignInMethod): void {
  store(STORAGE_KEY, method)
}
