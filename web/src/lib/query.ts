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

/** The first text a parameter holds; what is nested or absent is null. */
export function queryText(query: Query, name: string): string | null {
  const value = query[name]
  const first = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : null
}
