/**
 * Where a `redirect` parameter may lead. Anyone can write one into a link, so it is taken only to
 * our own origin or to a configured region's endpoint; everything else counts as absent.
 */
import { parseUrl } from '../lib/url'

export type Destination =
  /** A path of this console: path, query and fragment. */
  { kind: 'internal'; to: string } | { kind: 'external'; href: string }

export interface TrustedPlaces {
  origin: string
  /** Endpoints of the configured regions. */
  endpoints: Iterable<string>
}

const LONGEST_ADDRESS = 8192

// Browsers drop control characters and read a backslash as a slash, so what a person sees in such
// an address is not what is opened. No honest address of ours contains either.
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
  // "/x/..//evil.example" parses to a path that would leave our origin when used as an address.
  if (url.pathname.startsWith('//')) return null
  if (isSignInPage(url.pathname)) return null
  return { kind: 'internal', to: url.pathname + url.search + url.hash }
}

/** The router ignores case, escapes and a trailing slash, so this does too: sign-in must not lead to itself. */
export function isSignInPage(pathname: string): boolean {
  let path = pathname
  try {
    path = decodeURIComponent(pathname)
  } catch {
    // A broken escape is not the sign-in page either.
  }
  return /^\/login\/*$/i.test(path)
}

/** Same origin, and below the endpoint's path at a whole segment. */
function isWithin(url: URL, endpoint: string): boolean {
  const base = parseUrl(endpoint)
  if (!base || url.origin !== base.origin || !/^https?:$/.test(url.protocol)) return false
  const prefix = base.pathname.replace(/\/+$/, '')
  return url.pathname === prefix || url.pathname.startsWith(`${prefix}/`)
}
