/** Passkeys: converts between the server's JSON and the browser's API. */
import type { CredentialJson } from '../api/account'
import { ApiError, givenUp } from '../api/errors'
import { t, type MessageKey } from '../i18n/store'

/**
 * Whether this browser can use a passkey at this address. Passkeys belong to the domain the server
 * names (`passkey_domain`, null if it can't use any), and browsers offer nothing on insecure
 * connections.
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

/** Whether the browser can offer passkeys in autofill. */
export async function passkeysAutofill(): Promise<boolean> {
  return (await window.PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false
}

interface Asking {
  signal?: AbortSignal
  /** Waits in the address field's autofill instead of opening a dialog. */
  inAutofill?: boolean
}

/** An assertion by a passkey the user picks. */
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

/** A new passkey on the device or security key the user picks. */
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
    // The contract says no more than that it is an object; the browser's types say what is in it.
    return (credential as PublicKeyCredential).toJSON() as unknown as CredentialJson
  } catch (cause) {
    throw cause instanceof ApiError ? cause : failureOf(cause)
  }
}

const TEXTS: Record<string, MessageKey> = {
  // Created for a different address than the current one.
  SecurityError: 'passkey.wrongAddress',
  // The device already has a passkey for this account.
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
