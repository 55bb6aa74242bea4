import type { Options } from './types'

/** What events report about the page: its path and its referrer. */
export interface Page {
  /** The path to report, without query or hash. */
  path(): string
  /** Whether the path has changed since the last page view. */
  moved(): boolean
  /** Records a page view and returns its referrer. */
  view(): string
}

export function createPage(
  options: Options,
  debug: (text: string, detail?: unknown) => void,
): Page {
  let pathname = ''
  let reported = ''
  let referrer = ''

  const path = () => {
    let now = ''
    try {
      now = options.path ? options.path() : location.pathname
    } catch (error) {
      // Don't fall back to the real path: the page said it contains secrets.
      debug('path() failed', error)
    }
    return withoutQuery(now)
  }

  const moved = () => pathname !== location.pathname

  return {
    path,
    moved,
    view() {
      if (moved()) {
        referrer = pathname ? location.origin + reported : firstReferrer(options)
        pathname = location.pathname
      }
      reported = path()
      return referrer || 'unknown'
    },
  }
}

/**
 * For a referrer on the page's own site, only what url_path would reveal. Other sites decide for
 * themselves what they send.
 */
function firstReferrer({ path }: Options): string {
  const { referrer } = document
  const { origin } = location
  if (!(referrer + '/').startsWith(origin + '/')) return referrer
  return path ? origin : withoutQuery(referrer)
}

function withoutQuery(address: string): string {
  return address.split(/[?#]/)[0]!
}
