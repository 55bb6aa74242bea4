/**
 * Removes anything exploitable from reports before they leave the browser: URLs become their
 * route's pattern, without the query, and anything that looks like a token or code is masked.
 * Secrets shown or typed aren't recorded at all; see SECRET.
 */
import type { RouteObject } from 'react-router'
import { patternOf } from '../analytics/pattern'

/** What recordings leave out: fields for passwords and codes, and displayed secrets. */
export const SECRET = [
  '[data-secret]',
  'input[type="password"]',
  'input[autocomplete="one-time-code"]',
  'input[autocomplete="current-password"]',
  'input[autocomplete="new-password"]',
]

const MARK = '***'
const TOKEN_PATHS = /(\/(?:pwdReset|emailValidator)\/)[^\s"'/?#&\\<>]+/gi
const SECRET_PARAMETERS =
  /\b((?:[a-z]+_)?(?:token|code|state|redirect|link|ticket|password|secret))=[^\s"'&#\\<>]+/gi
const KEYS = /\bqk_[\w-]{8,}/g
const NOT_PAGES = /^\/(api|sdk|v\d[^/]*)\//
/** Deeper than anything a report contains. */
const DEEPEST = 12

export class Scrubber {
  private readonly routes: RouteObject[]
  private readonly origin: string
  private readonly ownAddresses: RegExp

  constructor(routes: RouteObject[], origin = window.location.origin) {
    this.routes = routes
    this.origin = origin
    this.ownAddresses = new RegExp(`${escaped(origin)}(?:/[^\\s"'<>\\\\)]*)?`, 'g')
  }

  pattern(pathname: string): string {
    return patternOf(this.routes, pathname)
  }

  /** Turns one of our URLs into its pattern, and removes the query from API and file URLs. */
  address(text: string): string {
    let url: URL
    try {
      url = new URL(text, this.origin)
    } catch {
      return MARK
    }
    if (url.origin !== this.origin) return url.origin + url.pathname
    const path = NOT_PAGES.test(url.pathname) ? url.pathname : this.pattern(url.pathname)
    return text.startsWith('/') ? path : url.origin + path
  }

  text(text: string): string {
    return text
      .replace(this.ownAddresses, (address) => this.address(address))
      .replace(TOKEN_PATHS, '$1:token')
      .replace(SECRET_PARAMETERS, `$1=${MARK}`)
      .replace(KEYS, `qk_${MARK}`)
  }

  /** Scrubs all strings, at any depth. */
  all<Value>(value: Value, depth = 0): Value {
    if (typeof value === 'string') return this.words(value) as Value
    if (typeof value !== 'object' || value === null) return value
    if (depth > DEEPEST) return undefined as Value
    if (Array.isArray(value))
      return value.map((item: unknown) => this.all(item, depth + 1)) as Value
    // Not a plain object, so it is internal to the client and isn't sent.
    if (Object.getPrototypeOf(value) !== Object.prototype) return value
    const entries = Object.entries(value as Record<string, unknown>).map(([name, inner]) => [
      name,
      this.all(inner, depth + 1),
    ])
    return Object.fromEntries(entries) as Value
  }

  /** A bare path is an address too. */
  private words(text: string): string {
    return /^\/[^\s/]/.test(text) ? this.text(this.address(text)) : this.text(text)
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
