/** Recovery codes as they are printed: ten small letters and digits with a dash in the middle. */

const HALF = 5

export const RECOVERY_CODE_LENGTH = 2 * HALF

/** The characters that count, whatever a note or a photo of one has made of the rest. */
export function bareRecoveryCode(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, RECOVERY_CODE_LENGTH)
}

export function formatRecoveryCode(text: string): string {
  const bare = bareRecoveryCode(text)
  return bare.length > HALF ? `${bare.slice(0, HALF)}-${bare.slice(HALF)}` : bare
}

/** In groups of four, for whoever has to type it. */
export function inGroups(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, '$& ')
}
