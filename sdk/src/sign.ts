import { randomValues } from './random'
import type { Sign } from './types'

/** Signs with credentials stored in the page. Returns undefined if the browser offers no crypto. */
export function signWith(keyId: string, secret: string): Sign | undefined {
  const subtle = window.crypto && crypto.subtle
  // Browsers hide it from pages loaded over an insecure connection.
  if (!subtle) return
  const bytes = (text: string) => new TextEncoder().encode(text)
  return async ({ method, path, payload }) => {
    const timestamp = String(Date.now())
    const nonce = String(1e6 + (randomValues(new Uint32Array(1))[0]! % 1e6)).slice(1)
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await subtle.importKey('raw', bytes(secret), algorithm, false, ['sign'])
    const signature = await subtle.sign(
      'HMAC',
      key,
      bytes([method, path, keyId, nonce, timestamp, payload].join('\n')),
    )
    return {
      'X-Access-Key-Id': keyId,
      'X-Timestamp': timestamp,
      'X-Nonce': nonce,
      'X-Signature': btoa(String.fromCharCode(...new Uint8Array(signature))),
    }
  }
}
