/**
 * Where a `redirect` parameter may lead. Anyone can put one into a link, so only our own origin and
 * configured regions' endpoints are accepted; anything else counts as absent.
 */
import { parseUrl } from '../lib/url'

export type Destination =
  /** A path in this console, with query and fragment. */
  { kind: 'internal'; to: string } | { kind: 'external'; href: string }

export interface TrustedPlaces {
  origin: string
  /** Endpoints of the configured regions. */
  endpoints: Iterable<string>
}

const LONGEST_ADDRESS = 8192

// Browsers strip control characters and read a backslash as a slash, so the URL a user sees isn't
// the one that opens. None of our own URLs contain either.
const DECEPTIVE = /[\u0000-\u0020\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\\]/

export function safeDestination(
  raw: string | null | undefined,
  trusted: TrustedPlaces,
): Destination | null {
  if (!raw || raw.length > LONGEST_ADDRESS || DECEPTIVE.test(raw)) return null

  const url = parseAddress(raw, trusted.origin)
  if (!url || url.username || url.password) return null

  if (url.origin === trusted.origin) return internal(url)
  for (const endpoint of trusted.endpoints) {
    if (isWithin(url, endpoint)) return { kind: 'external', href: url.href }
  }
  return null
}

function parseAddress(raw: string, origin: string): URL | null {
  const rooted = raw.startsWith('/') && !raw.startsWith('//')
  const absolute = /^https?:\/\/[^/]/i.test(raw)
  if (!rooted && !absolute) return null
  return parseUrl(raw, origin)
}

function internal(url: URL): Destination | null {
  // "/x/..//evil.example" parses to a path that would leave our origin when used as a URL.
  if (url.pathname.startsWith('//')) return null
  if (isSignInPage(url.pathname)) return null
  return { kind: 'internal', to: url.pathname + url.search + url.hash }
}

/**
 * The router ignores case, escapes, and trailing slashes, so do the same here: sign-in must not
 * redirect to itself.
 */
export function isSignInPage(pathname: string): boolean {
  let path = pathname
  try {
    path = decodeURIComponent(pathname)
  } catch {
    // A malformed escape isn't the sign-in page either.
  }
  return /^\/login\/*$/i.test(path)
}

/** Same origin, and below the endpoint's path at a segment boundary. */
function isWithin(url: URL, endpoint: string): boolean {
  const base = parseUrl(endpoint)
  if (!base || url.origin !== base.origin || !/^https?:$/.test(url.protocol)) return false
  const prefix = base.pathname.replace(/\/+$/, '')
  return url.pathname === prefix || url.pathname.startsWith(`${prefix}/`)
}
