import type { Options } from './types'

/** What is told of the page: its path, and where the visitor came from. */
export interface Page {
  /** The path to report, never with a query or a hash. */
  path(): string
  /** Whether the address has another path than at the last page view. */
  moved(): boolean
  /** Notes a page view and answers its referrer. */
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
      // The address itself is no substitute: the page said that it holds secrets.
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

/** Of the page's own site only what its url_path tells as well; others chose what they tell. */
function firstReferrer({ path }: Options): string {
  const { referrer } = document
  const { origin } = location
  if (!(referrer + '/').startsWith(origin + '/')) return referrer
  return path ? origin : withoutQuery(referrer)
}

function withoutQuery(address: string): string {
  return address.split(/[?#]/)[0]!
}
