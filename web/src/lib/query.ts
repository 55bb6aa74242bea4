/** Query strings, read within the product's limits so that a hostile address cannot cost much. */
import qs from 'qs'

const LIMITS = { arrayLimit: 20, depth: 5, parameterLimit: 1000 } as const

export type Query = qs.ParsedQs

export function parseQuery(search: string): Query {
  return qs.parse(search, { ...LIMITS, ignoreQueryPrefix: true })
}

export function formatQuery(query: Record<string, unknown>): string {
  return qs.stringify(query, { addQueryPrefix: true, skipNulls: true })
}

/** The same as the router hands it out: whatever in it is beyond the limits is left out or nested. */
export function limitQuery(query: URLSearchParams): URLSearchParams {
  const limited = parseQuery(query.toString())
  return new URLSearchParams(qs.stringify(limited, { arrayFormat: 'repeat' }))
}

/** A query as it stands, but for one parameter: what others mean by theirs is not ours to rewrite. */
export function withoutParameter(search: string, name: string): string {
  const rest = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '' && !(name in parseQuery(part)))
  return rest.length > 0 ? `?${rest.join('&')}` : ''
}

/** The first text a parameter holds; what is nested or absent is null. */
export function queryText(query: Query, name: string): string | null {
  const value = query[name]
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : null
}
