/** Recovery codes as printed: ten lowercase letters and digits with a dash in the middle. */

const HALF = 5

export const RECOVERY_CODE_LENGTH = 2 * HALF

/** Only the characters that count, however the rest was written down or scanned. */
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

/** In groups of four, which are easier to type. */
export function inGroups(secret: string): string {
  return secret.replace(/.{4}(?=.)/g, '$& ')
}
