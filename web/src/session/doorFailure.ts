/**
 * A trip through an outside door ends at an address of ours, which says how it went. Anyone can write
 * such an address, so only known words count, and none of its text is shown.
 */
import type { Translate } from '../i18n/store'

/** Why a trip failed. */
export const DOOR_CODES = [
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

/** What to say of a failure; a code of nobody's is a failure too. */
export function doorFailure(t: Translate, text: string): string {
  const code = DOOR_CODES.find((known) => known === text)
  return code ? t(`door.failed.${code}`) : t('door.failed.unknown')
}
