/**
 * All values of a closed set in the contract. A missing or extra value doesn't compile. Values that
 * only a newer server knows aren't listed, so lookups need a fallback.
 */
export function allOf<Value extends string>(values: Record<Value, true>): Value[] {
  return Object.keys(values) as Value[]
}
