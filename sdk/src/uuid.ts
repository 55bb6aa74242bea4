import { randomValues } from './random'

export interface UuidOptions {
  /** 16 bytes to use instead of random ones. */
  random?: ArrayLike<number>
  rng?: () => ArrayLike<number>
}

/**
 * A random (version 4) UUID: as text, or as 16 bytes written into `buffer` from `offset`.
 *
 * @throws RangeError if the buffer has no room for 16 bytes at the offset.
 * @throws Error if the browser has no secure random values.
 */
export function uuid(options?: UuidOptions | null): string
export function uuid<B extends Uint8Array | number[]>(
  options: UuidOptions | null | undefined,
  buffer: B,
  offset?: number,
): B
export function uuid(
  options?: UuidOptions | null,
  buffer?: Uint8Array | number[],
  offset = 0,
): string | Uint8Array | number[] {
  const { random, rng } = options || {}
  const bytes = Array.from(random || (rng ? rng() : randomValues(new Uint8Array(16)))).slice(0, 16)
  // Written this way so that a NaN offset is rejected too.
  if (bytes.length < 16 || (buffer && !(offset >= 0 && offset + 16 <= buffer.length))) {
    throw new RangeError('A UUID takes 16 bytes')
  }
  bytes[6] = (bytes[6]! & 15) | 64
  bytes[8] = (bytes[8]! & 63) | 128
  if (buffer) {
    bytes.forEach((byte, index) => (buffer[offset + index] = byte))
    return buffer
  }
  return bytes
    .map((byte) => (byte + 256).toString(16).slice(1))
    .join('')
    .replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
