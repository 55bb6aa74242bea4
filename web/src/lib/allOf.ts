/**
 * Every value of a closed set of the contract. With one missing, or one too many, it does not compile;
 * what only a newer server knows is in no such list, so whoever looks a value up has a word for that.
 */
export function allOf<Value extends string>(values: Record<Value, true>): Value[] {
  return Object.keys(values) as Value[]
}
