import type { User } from '../api/account'

/** A team of the person asks for a second factor, and there is none. A passkey is one too. */
export function lacksSecondFactor({ mfa }: User): boolean {
  return mfa.required && !mfa.totp && mfa.passkeys === 0
}
