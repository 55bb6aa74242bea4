/** The signed-in user and the ways to sign in. */
import { queryOptions } from '@tanstack/react-query'
import { cameWithoutSession } from '../lib/pageSession'
import { call, http, type CallOptions } from './client'
import { notSignedIn } from './errors'
import type { components } from './schema'

export type User = components['schemas']['CurrentUser']
/** A team the account is linked to by single sign-on. */
export type LinkedOrg = User['sso'][number]
/**
 * The first step may be enough, or a second may be needed; a cookie then holds the half-finished
 * sign-in.
 */
export type SignInAnswer = components['schemas']['LoginAnswer']
export type RegisterToken = components['schemas']['TokenView']
export type RegisterProfile = components['schemas']['RegisterProfile']

export type PasswordVerdict = components['schemas']['PasswordVerdict']

/** The forms show failures in place, so there is no notification. */
const IN_FORM: CallOptions = { handles401: true }

export const currentUserQuery = queryOptions({
  queryKey: ['current'],
  // The guard decides what a failure means; see session/guard.ts.
  queryFn: () =>
    cameWithoutSession()
      ? Promise.reject(notSignedIn())
      : call(http.GET('/current'), { ignoreErrors: true, handles401: true }),
  staleTime: Infinity,
  gcTime: Infinity,
  retry: false,
})

export function signIn(credentials: components['schemas']['Login']): Promise<SignInAnswer> {
  return call(http.POST('/login', { body: credentials }), IN_FORM)
}

/** The code works only in the browser that asked for it. */
export function sendSignInCode(email: string): Promise<unknown> {
  return call(http.POST('/send-login-code-email', { body: { email } }), IN_FORM)
}

export function signInByCode(body: { email: string; code: string }): Promise<SignInAnswer> {
  return call(http.POST('/login-by-email-code', { body }), IN_FORM)
}

/** With a link an operator created for someone who can't sign in otherwise. */
export function signInByLink(token: string): Promise<SignInAnswer> {
  return call(http.POST('/login/link', { body: { token } }), IN_FORM)
}

export function asksSecondStep(
  answer: SignInAnswer,
): answer is components['schemas']['MfaRequired'] {
  return 'mfa_required' in answer && answer.mfa_required
}

/** A code from the authenticator app, or a recovery code. */
export function completeSignIn(code: string): Promise<User> {
  return call(http.POST('/login/mfa', { body: { code } }), IN_FORM)
}

/** The answer is bound to this browser and valid for a few minutes. */
export async function passkeySignInOptions(
  signal?: AbortSignal,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { publicKey } = await call(http.POST('/login/passkey/options', { signal }), IN_FORM)
  return publicKey as unknown as PublicKeyCredentialRequestOptionsJSON
}

/** The result of `navigator.credentials`, in the standard's JSON form. Only the server reads it. */
export type CredentialJson = Record<string, never>

export function signInByPasskey(credential: CredentialJson): Promise<User> {
  return call(http.POST('/login/passkey', { body: { credential } }), IN_FORM)
}

export function signOut(): Promise<unknown> {
  return call(http.POST('/logout'), IN_FORM)
}

/** Whether a new password would be accepted. Runs while typing, so failures stay silent. */
export function checkPassword(
  body: components['schemas']['PasswordCheck'],
  signal: AbortSignal,
): Promise<PasswordVerdict> {
  return call(http.POST('/password/check', { body, signal }), {
    ignoreErrors: true,
    handles401: true,
  })
}

/** `locale` is the language of the email. */
export function register(body: { email: string; locale: string }): Promise<unknown> {
  return call(http.POST('/register', { body }), IN_FORM)
}

export function registerTokenQuery(token: string) {
  return queryOptions({
    queryKey: ['register-token', token],
    queryFn: () => call(http.GET('/register/token', { params: { query: { token } } }), IN_FORM),
    // Reading doesn't use the link up; using it does, and then this page is left.
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

/** Sent in the body, because URLs end up in logs and histories. */
export function resetPassword(body: { token: string; password: string }): Promise<unknown> {
  return call(http.POST('/password/reset', { body }), IN_FORM)
}

/** A separate call, not triggered by opening the link: mail scanners open links too. */
export function confirmEmail(token: string): Promise<{ email: string }> {
  return call(http.POST('/email/confirm', { body: { token } }), IN_FORM)
}
