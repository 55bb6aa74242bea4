/** `URL.parse` for browsers that do not have it yet. */
export function parseUrl(address: string, base?: string): URL | null {
  try {
    return new URL(address, base)
  } catch {
    return null
  }
}

/**
 * The one spelling of a path: no trailing slash, no doubled slashes. The latter also because a path
 * that begins with two would be read as a host wherever it is used as an address.
 */
export function canonicalPath(pathname: string): string {
  return pathname.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
}
