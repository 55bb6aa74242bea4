/**
 * Passkey autofill in the address field. The offer stays as long as the form is open, but the
 * server's challenge expires earlier, so it is renewed.
 */
import {
  passkeySignInOptions,
  signInByPasskey,
  type User,
  type CredentialJson,
} from '../../api/account'
import { ApiError } from '../../api/errors'
import { withRegions } from '../../session/arrive'
import { chosenPasskey, passkeysAutofill } from '../../session/passkey'

/** One minute less than the server allows. */
const RENEW_MS = 4 * 60_000

interface Outcome {
  onUser: (user: User) => void
  /** Only for a passkey that was chosen: a failure to offer any is silent. */
  onFailure: (error: ApiError) => void
}

export async function offerInAutofill(signal: AbortSignal, outcome: Outcome): Promise<void> {
  if (!(await passkeysAutofill())) return
  while (!signal.aborted) {
    const credential = await offerOnce(signal)
    if (credential === 'over') return
    if (credential === 'late') {
      await untilVisible(signal)
      continue
    }
    try {
      const user = await withRegions(signInByPasskey(credential))
      if (!signal.aborted) outcome.onUser(user)
      return
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (!signal.aborted) outcome.onFailure(error)
    }
  }
}

async function offerOnce(signal: AbortSignal): Promise<CredentialJson | 'late' | 'over'> {
  const limit = AbortSignal.timeout(RENEW_MS)
  try {
    // Abort this too: a late answer would replace the next challenge's cookie.
    const options = await passkeySignInOptions(signal)
    if (signal.aborted) return 'over'
    return await chosenPasskey(options, {
      signal: AbortSignal.any([signal, limit]),
      inAutofill: true,
    })
  } catch {
    return limit.aborted && !signal.aborted ? 'late' : 'over'
  }
}

/** A hidden tab doesn't need to renew the challenge. */
function untilVisible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve()
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
