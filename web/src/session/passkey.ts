/** Passkeys, between the server's JSON and the browser's own dialogs. */
import type { CredentialJson } from '../api/account'
import { ApiError, givenUp } from '../api/errors'
import { t, type MessageKey } from '../i18n/store'

/**
 * Whether this browser can use a passkey at this address. One belongs to the domain that the server
 * names (`passkey_domain`, null where it cannot use any), and without a secure connection the
 * browser offers nothing.
 */
export function passkeysSupported(
  domain: string | null | undefined,
  hostname = window.location.hostname,
): boolean {
  const isThere = !!domain && (hostname === domain || hostname.endsWith(`.${domain}`))
  return (
    isThere &&
    window.isSecureContext === true &&
    typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function' &&
    typeof window.PublicKeyCredential.parseCreationOptionsFromJSON === 'function'
  )
}

/** Whether the browser can offer passkeys among what it fills into a field. */
export async function passkeysAutofill(): Promise<boolean> {
  return (await window.PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false
}

interface Asking {
  signal?: AbortSignal
  /** Waits inside the autofill of the address instead of opening a dialog. */
  inAutofill?: boolean
}

/** A proof by a passkey that the person chooses. */
export async function chosenPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
  { signal, inAutofill }: Asking = {},
): Promise<CredentialJson> {
  return inJson(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
      mediation: inAutofill ? 'conditional' : undefined,
      signal,
    }),
  )
}

/** A new passkey on the device or key that the person chooses. */
export function createPasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<CredentialJson> {
  return inJson(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    }),
  )
}

async function inJson(ask: () => Promise<Credential | null>): Promise<CredentialJson> {
  try {
    const credential = await ask()
    if (!credential) throw givenUp('passkey_cancelled')
    return (credential as PublicKeyCredential).toJSON() as CredentialJson
  } catch (cause) {
    throw cause instanceof ApiError ? cause : failureOf(cause)
  }
}

const TEXTS: Record<string, MessageKey> = {
  // Made for another address than the one in the bar.
  SecurityError: 'passkey.wrongAddress',
  // The device holds a passkey of this account already.
  InvalidStateError: 'passkey.alreadyHere',
}

function failureOf(cause: unknown): ApiError {
  const name = cause instanceof DOMException ? cause.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') return givenUp('passkey_cancelled')
  return new ApiError({
    status: 0,
    code: 'passkey_failed',
    text: () => t(TEXTS[name] ?? 'passkey.failed'),
  })
}
