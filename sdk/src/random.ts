export function randomValues<A extends Uint8Array | Uint32Array>(array: A): A {
  if (typeof crypto === 'undefined' || !crypto.getRandomValues) {
    throw new Error('crypto.getRandomValues is not supported')
  }
  return crypto.getRandomValues(array as never)
}
