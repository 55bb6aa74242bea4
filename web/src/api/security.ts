/** How the signed-in user proves their identity, and what they can do with their whole account. */
import { queryOptions } from '@tanstack/react-query'
import type { CredentialJson } from './account'
import { call, callForFile, http, whileLeaving } from './client'
import type { components } from './schema'

export type TotpState = components['schemas']['TotpView']
/** What an authenticator app needs to know, as text and as a QR code. */
export type TotpBeginning = components['schemas']['TotpEnrolment']
export type Passkey = components['schemas']['PasskeyView']
/** A team that would be left without an owner. */
export type BlockingTeam = components['schemas']['OwnedOrg']

/** Confirms the user's identity when required; see api/client.ts. */
export function reauthenticate(password: string, code?: string): Promise<unknown> {
  return call(http.POST('/current/reauth', { body: { password, code } }))
}

export const totpQuery = queryOptions({
  queryKey: ['totp'],
  queryFn: (): Promise<TotpState> => call(http.GET('/current/mfa/totp')),
  staleTime: 0,
  // A background refetch would replace an enrollment in progress and remove the recovery codes from
  // the screen.
  refetchOnReconnect: false,
})

/** Nothing is turned on until the app's first code is accepted. */
export function beginTotp(): Promise<TotpBeginning> {
  return call(http.POST('/current/mfa/totp'))
}

export async function confirmTotp(code: string): Promise<string[]> {
  const answer = await call(http.PUT('/current/mfa/totp', { body: { code } }))
  return answer.recovery_codes
}

export function removeTotp(): Promise<unknown> {
  return call(http.DELETE('/current/mfa/totp'))
}

/** The old codes stop working. */
export async function renewRecoveryCodes(): Promise<string[]> {
  const answer = await call(http.POST('/current/mfa/recovery-codes'))
  return answer.recovery_codes
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: async (): Promise<Passkey[]> => (await call(http.GET('/current/passkeys'))).items,
  staleTime: 0,
})

export async function passkeyOptions(): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { publicKey } = await call(http.POST('/current/passkeys/options'))
  return publicKey as unknown as PublicKeyCredentialCreationOptionsJSON
}

export function addPasskey(name: string, credential: CredentialJson): Promise<Passkey> {
  return call(http.POST('/current/passkeys', { body: { name, credential } }))
}

export function renamePasskey(id: string, name: string): Promise<Passkey> {
  return call(http.PUT('/current/passkeys/{id}', { params: { path: { id } }, body: { name } }))
}

export function removePasskey(id: string): Promise<unknown> {
  return call(http.DELETE('/current/passkeys/{id}', { params: { path: { id } } }))
}

/** Emails a link to the new address, which takes effect once the link is followed. */
export function changeEmail(email: string): Promise<unknown> {
  return call(http.POST('/current/email', { body: { email } }))
}

export const deletionQuery = queryOptions({
  queryKey: ['deletion'],
  queryFn: async (): Promise<BlockingTeam[]> =>
    (await call(http.GET('/current/deletion'))).blocked_by,
  staleTime: 0,
  gcTime: 0,
})

export function deleteAccount(email: string): Promise<unknown> {
  return whileLeaving(() => call(http.DELETE('/current', { body: { email } })))
}

export function exportMyData(): Promise<Blob> {
  return callForFile(http.GET('/current/export', { parseAs: 'blob' }))
}
