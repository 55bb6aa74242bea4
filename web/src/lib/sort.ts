/** Sorting in the browser, for lists the server sends in full. */
export type SortType = 'integer' | 'number' | 'timestamp'
export type SortOrder = 'asc' | 'desc'

/** As in API answers: numbers may be text, times may be text or milliseconds. */
export type Sortable = number | string | null | undefined

const READ: Record<SortType, (value: number | string) => number> = {
  integer: (value) => Math.trunc(Number(value)),
  number: Number,
  timestamp: (value) => (typeof value === 'number' ? value : Date.parse(value)),
}

/** Missing or malformed values come last in either order. */
export function comparing(type: SortType, order: SortOrder) {
  const read = (value: Sortable) => (value == null || value === '' ? Number.NaN : READ[type](value))
  const way = order === 'asc' ? 1 : -1
  return (one: Sortable, other: Sortable): number => {
    const [a, b] = [read(one), read(other)]
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
    // Not by subtraction: Infinity minus Infinity is NaN.
    return a === b ? 0 : way * (a < b ? -1 : 1)
  }
}
