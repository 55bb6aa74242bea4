/** Which way of signing in is shown first: the one used last in this browser. */
import { readStored, store } from '../../lib/storage'

export const SIGN_IN_METHODS = ['password', 'code'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

const STORAGE_KEY = 'atrium.signInMethod'

export function rememberedMethod(): SignInMethod {
  const stored = readStored(STORAGE_KEY)
  return SIGN_IN_METHODS.find((method) => method === stored) ?? 'password'
}

export function rememberMethod(method: SignInMethod): void {
  store(STORAGE_KEY, method)
}
