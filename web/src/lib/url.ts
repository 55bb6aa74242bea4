/** `URL.parse` for browsers that don't have it yet. */
export function parseUrl(address: string, base?: string): URL | null {
  try {
    return new URL(address, base)
  } catch {
    return null
  }
}

/**
 * The canonical form of a path: no trailing slash, no double slashes. A path starting with two
 * slashes would also be read as a host wherever it is used as a URL.
 */
export function canonicalPath(pathname: string): string {
  return pathname.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
}
