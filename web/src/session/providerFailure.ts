/**
 * Providers send users back to a URL that says how the sign-in went. Anyone can craft such a URL,
 * so only known codes count, and none of its text is shown.
 */
import type { components } from '../api/schema'
import type { Translate } from '../i18n/store'
import { allOf } from '../lib/allOf'

/** Why a provider's sign-in failed. */
export const PROVIDER_FAILURES = allOf<components['schemas']['SignInFailure']>({
  cancelled: true,
  state_invalid: true,
  provider_unavailable: true,
  provider_error: true,
  code_refused: true,
  account_disabled: true,
  throttled: true,
  sso_off: true,
  issuer_mismatch: true,
  audience_mismatch: true,
  token_unsigned: true,
  token_signature: true,
  token_expired: true,
  token_invalid: true,
  nonce_mismatch: true,
  email_missing: true,
  email_unverified: true,
  domain_not_allowed: true,
  membership_ended: true,
  link_wrong_account: true,
  not_bound: true,
  bound_elsewhere: true,
  already_bound: true,
  outsider: true,
  not_allowed: true,
  wrong_user: true,
})

/** A failure's message; an unknown code is a failure too. */
export function providerFailureText(t: Translate, text: string): string {
  const code = PROVIDER_FAILURES.find((known) => known === text)
  return code ? t(`provider.failed.${code}`) : t('provider.failed.unknown')
}
