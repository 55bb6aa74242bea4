/** An authenticator app: RFC 6238 with the usual parameters (SHA-1, 30 seconds, six digits). */
import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/**
 * The code an app shows `ahead` steps from now. The server accepts each step once and none before
 * it, but tolerates a clock one step off, which saves a test the wait for the next code.
 */
export function totpCode(secret: string, ahead = 0): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + ahead))
  const digest = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const place = digest.at(-1)! & 0x0f
  return String((digest.readUInt32BE(place) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

function decodeBase32(text: string): Buffer {
  const bits = [...text.replace(/[\s=]/g, '')]
    .map((sign) => ALPHABET.indexOf(sign.toUpperCase()).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
