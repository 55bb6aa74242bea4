/**
 * A provider sends people back to an address of ours that says how the sign-in went. Anyone can write
 * such an address, so only known codes count, and none of its text is shown.
 */
import type { Translate } from '../i18n/store'

/** Why a provider's sign-in failed. */
export const PROVIDER_FAILURES = [
  'cancelled',
  'state_invalid',
  'provider_unavailable',
  'provider_error',
  'code_refused',
  'account_disabled',
  'throttled',
  'sso_off',
  'issuer_mismatch',
  'audience_mismatch',
  'token_unsigned',
  'token_signature',
  'token_expired',
  'token_invalid',
  'nonce_mismatch',
  'email_missing',
  'email_unverified',
  'domain_not_allowed',
  'membership_ended',
  'link_wrong_account',
  'not_bound',
  'bound_elsewhere',
  'already_bound',
  'outsider',
  'not_allowed',
  'wrong_user',
] as const

/** What to say of a failure; an unknown code is a failure too. */
export function providerFailureText(t: Translate, text: string): string {
  const code = PROVIDER_FAILURES.find((known) => known === text)
  return code ? t(`provider.failed.${code}`) : t('provider.failed.unknown')
}
