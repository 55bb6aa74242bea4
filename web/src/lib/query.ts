/** Parses query strings within the product's limits, so a hostile URL can't cost much. */
import qs from 'qs'

const LIMITS = { arrayLimit: 20, depth: 5, parameterLimit: 1000 } as const

export type Query = qs.ParsedQs

export function parseQuery(search: string): Query {
  return qs.parse(search, { ...LIMITS, ignoreQueryPrefix: true })
}

export function formatQuery(query: Record<string, unknown>): string {
  return qs.stringify(query, { addQueryPrefix: true, skipNulls: true })
}

/** The same as URLSearchParams: anything beyond the limits is dropped or nested. */
export function limitQuery(query: URLSearchParams): URLSearchParams {
  const limited = parseQuery(query.toString())
  return new URLSearchParams(qs.stringify(limited, { arrayFormat: 'repeat' }))
}

/** Removes one parameter and leaves the others exactly as they are. */
export function withoutParameter(search: string, name: string): string {
  const rest = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '' && !(name in parseQuery(part)))
  return rest.length > 0 ? `?${rest.join('&')}` : ''
}

/** A parameter's first text; null if it is nested or absent. */
export function queryText(query: Query, name: string): string | null {
  const value = query[name]
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : null
}
