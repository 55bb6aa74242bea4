/** Tests and groups of them: when they are complete, and what survives a change. */
import type { Filters, Operator, Test } from '../../api/analysisTypes'

export const OPERATORS: readonly Operator[] = [
  'is',
  'is_not',
  'contains',
  'not_contains',
  'gt',
  'gte',
  'lt',
  'lte',
  'since',
  'before',
  'set',
  'not_set',
]
export const NO_VALUE: readonly Operator[] = ['set', 'not_set']
/** Operators that compare with one number. */
export const NUMERIC: readonly Operator[] = ['gt', 'gte', 'lt', 'lte']
/** Operators that compare with one time. */
export const TIMED: readonly Operator[] = ['since', 'before']
const MEMBERSHIP: readonly Operator[] = ['is', 'is_not']

/** The prefixes of profile properties. */
export const PROFILES = ['$user:', '$device:'] as const
export const COHORT = '$cohort:'

export const isCohort = (property: string) => property.startsWith(COHORT)
export const profileOf = (property: string) => PROFILES.find((one) => property.startsWith(one))

/** False if only the kind is chosen: the name of a profile property is typed after it. */
export const isNamed = (property: string) =>
  property !== '' && property !== COHORT && !PROFILES.some((one) => property === one)

export type PropertyKind = 'text' | 'number' | 'boolean' | 'time' | 'list' | 'cohort' | 'unknown'

/** The operators that make sense for a kind of values. */
export function operatorsFor(kind: PropertyKind): readonly Operator[] {
  switch (kind) {
    case 'cohort':
      return MEMBERSHIP
    case 'text':
    case 'list':
      return OPERATORS.filter((one) => !NUMERIC.includes(one) && !TIMED.includes(one))
    case 'number':
      return [...MEMBERSHIP, ...NUMERIC, ...NO_VALUE]
    case 'time':
      return [...TIMED, ...MEMBERSHIP, ...NO_VALUE]
    case 'boolean':
      return [...MEMBERSHIP, ...NO_VALUE]
    case 'unknown':
      return OPERATORS
  }
}

export const isGroup = (item: Test | Filters): item is Filters => 'all' in item || 'any' in item

export const itemsOf = (filters: Filters) => ('all' in filters ? filters.all : filters.any)
export const isAll = (filters: Filters) => 'all' in filters

/** The same kind of group with other items. */
export const withItems = (filters: Filters, items: (Test | Filters)[]): Filters =>
  isAll(filters) ? { all: items } : { any: items }

export function isComplete({ property, operator, values }: Test): boolean {
  if (!isNamed(property)) return false
  if (isCohort(property)) return MEMBERSHIP.includes(operator)
  if (NO_VALUE.includes(operator)) return true
  if (NUMERIC.includes(operator)) return values.length === 1 && isNumber(values[0]!)
  if (TIMED.includes(operator)) return values.length === 1 && isTime(values[0]!)
  return values.length > 0
}

export const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text))

const TIME = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** A date, or a date and time. */
export const isTime = (text: string) =>
  TIME.test(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T')))

/** Undefined if no test is complete yet. */
export function completeFilters(filters: Filters | undefined): Filters | undefined {
  if (!filters) return undefined
  const items = itemsOf(filters).flatMap((item): (Test | Filters)[] => {
    if (isGroup(item)) {
      const whole = completeFilters(item)
      return whole ? [whole] : []
    }
    return isComplete(item) ? [wholeTest(item)] : []
  })
  return items.length > 0 ? withItems(filters, items) : undefined
}

const wholeTest = (test: Test): Test =>
  NO_VALUE.includes(test.operator) || isCohort(test.property) ? { ...test, values: [] } : test

export function countTests(filters: Filters | undefined): number {
  if (!filters) return 0
  return itemsOf(filters).reduce((sum, item) => sum + (isGroup(item) ? countTests(item) : 1), 0)
}

/** Keeps the values that still make sense under the new operator. */
export function withOperator(test: Test, operator: Operator): Test {
  const { values } = test
  if (NO_VALUE.includes(operator)) return { ...test, operator, values: [] }
  const one = NUMERIC.includes(operator) ? isNumber : TIMED.includes(operator) && isTime
  return { ...test, operator, values: one ? values.filter(one).slice(0, 1) : values }
}

/** Drops the values, which don't apply to another property, and the operator if it doesn't fit. */
export function withProperty({ operator }: Test, property: string): Test {
  const fits = operatorsFor(certainKind(property)).includes(operator)
  return { property, operator: fits ? operator : 'is', values: [] }
}

/** By name alone: common properties are text, and an app's own can be anything. */
function certainKind(property: string): PropertyKind {
  if (isCohort(property)) return 'cohort'
  return property.startsWith('$') && !profileOf(property) ? 'text' : 'unknown'
}
