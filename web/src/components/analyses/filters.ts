/** Tests and groups of them: when they are whole, and what stays of one that is changed. */
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
/** These compare numbers, and with one number. */
export const NUMERIC: readonly Operator[] = ['gt', 'gte', 'lt', 'lte']
/** These compare times, and with one. */
export const TIMED: readonly Operator[] = ['since', 'before']
const MEMBERSHIP: readonly Operator[] = ['is', 'is_not']

/** What profiles and cohorts are named by. */
export const PROFILES = ['$user:', '$device:'] as const
export const COHORT = '$cohort:'

export const isCohort = (property: string) => property.startsWith(COHORT)
export const profileOf = (property: string) => PROFILES.find((one) => property.startsWith(one))

/** Not yet where only the kind of it is chosen: the name of a profile's property is typed after that. */
export const isNamed = (property: string) =>
  property !== '' && property !== COHORT && !PROFILES.some((one) => property === one)

export type PropertyKind = 'text' | 'number' | 'boolean' | 'time' | 'list' | 'cohort' | 'unknown'

/** The tests that make sense of values of a kind. */
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

/** The same kind of group around other items. */
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

/** A date, or a moment. */
export const isTime = (text: string) =>
  TIME.test(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T')))

/** Undefined where no test says anything yet. */
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

/** What of the values still makes sense under another operator. */
export function withOperator(test: Test, operator: Operator): Test {
  const { values } = test
  if (NO_VALUE.includes(operator)) return { ...test, operator, values: [] }
  const one = NUMERIC.includes(operator) ? isNumber : TIMED.includes(operator) && isTime
  return { ...test, operator, values: one ? values.filter(one).slice(0, 1) : values }
}

/** Values of one property say nothing about another, and its test may not be one of the other's. */
export function withProperty({ operator }: Test, property: string): Test {
  const fits = operatorsFor(surelyOf(property)).includes(operator)
  return { property, operator: fits ? operator : 'is', values: [] }
}

/** By its name alone: what every event has is text, and what an app sends can be anything. */
function surelyOf(property: string): PropertyKind {
  if (isCohort(property)) return 'cohort'
  return property.startsWith('$') && !profileOf(property) ? 'text' : 'unknown'
}
