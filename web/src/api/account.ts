/** The signed-in person and the ways to become one. */
import { queryOptions } from '@tanstack/react-query'
import { call, http, type CallOptions } from './client'
import type { components } from './schema'

export type User = components['schemas']['CurrentUser']
export type RegisterToken = components['schemas']['TokenView']
export type RegisterProfile = components['schemas']['RegisterProfile']

/** The forms show failures in place, so no notification doubles them. */
const IN_FORM: CallOptions = { ignoreErrors: true, handles401: true }

export const currentUserQuery = queryOptions({
  queryKey: ['current'],
  // The guard decides what a failure means, see session/guard.ts.
  queryFn: () => call(http.GET('/current'), { ignoreErrors: true, handles401: true }),
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
})

export function signIn(credentials: components['schemas']['Login']): Promise<User> {
  return call(http.POST('/login', { body: credentials }), IN_FORM)
}

/** The code that arrives works only in the browser that asked for it. */
export function sendSignInCode(email: string): Promise<unknown> {
  return call(http.POST('/send-login-code-email', { body: { email } }), IN_FORM)
}

export function signInByCode(body: { email: string; code: string }): Promise<User> {
  return call(http.POST('/login-by-email-code', { body }), IN_FORM)
}

export function signOut(): Promise<unknown> {
  return call(http.POST('/logout'), IN_FORM)
}

/** `locale` is the language of the mail. */
export function register(body: { email: string; locale: string }): Promise<unknown> {
  return call(http.POST('/register', { body }), IN_FORM)
}

export function registerTokenQuery(token: string) {
  return queryOptions({
    queryKey: ['register-token', token],
    queryFn: () => call(http.GET('/register/token', { params: { query: { token } } }), IN_FORM),
    // Asking does not use the link up; using it does, and then this page is left.
    staleTime: Infinity,
  })
}

export function registerProfile(profile: RegisterProfile): Promise<User> {
  return call(http.POST('/register/profile', { body: profile }), IN_FORM)
}

export function forgetPassword(email: string): Promise<unknown> {
  return call(http.POST('/password/forget', { body: { email } }), IN_FORM)
}

export function resetTokenQuery(token: string) {
  return queryOptions({
    queryKey: ['reset-token', token],
    queryFn: () =>
      call(http.GET('/password/reset/token', { params: { query: { token } } }), IN_FORM),
    staleTime: Infinity,
  })
}

/** In the body: what stands in an address ends up in logs and histories. */
export function resetPassword(body: { token: string; password: string }): Promise<unknown> {
  return call(http.POST('/password/reset', { body }), IN_FORM)
}
