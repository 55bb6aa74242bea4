/**
 * Nothing that could be used leaves the browser in a report: addresses become the pattern of their
 * route, without what follows a question mark, and what looks like a token or a code makes way for
 * a mark. What is shown or typed as a secret is not recorded at all, see SECRET.
 */
import type { RouteObject } from 'react-router'
import { patternOf } from '../analytics/pattern'

/** What recordings leave out: where passwords and codes are typed and where secrets are shown. */
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
/** Further down than anything a report holds. */
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

  /** An address of ours as a pattern; one of the API or of a file without its query. */
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

  /** Every text in it, however deep. */
  all<Value>(value: Value, depth = 0): Value {
    if (typeof value === 'string') return this.words(value) as Value
    if (typeof value !== 'object' || value === null) return value
    if (depth > DEEPEST) return undefined as Value
    if (Array.isArray(value))
      return value.map((item: unknown) => this.all(item, depth + 1)) as Value
    // What is no plain record is a thing of the client's own: it does not travel.
    if (Object.getPrototypeOf(value) !== Object.prototype) return value
    const entries = Object.entries(value as Record<string, unknown>).map(([name, inner]) => [
      name,
      this.all(inner, depth + 1),
    ])
    return Object.fromEntries(entries) as Value
  }

  /** A path alone is an address too. */
  private words(text: string): string {
    return /^\/[^\s/]/.test(text) ? this.text(this.address(text)) : this.text(text)
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
