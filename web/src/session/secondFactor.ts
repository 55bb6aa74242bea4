import type { User } from '../api/account'

/**
 * Whether one of the user's teams requires a second factor and they have none. A passkey counts as
 * one.
 */
export function lacksSecondFactor({ mfa }: User): boolean {
  return mfa.required && !mfa.totp && mfa.passkeys === 0
}
