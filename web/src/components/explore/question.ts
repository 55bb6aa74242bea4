/** A question to the explorer: in the address as people share it, in a body as the server takes it. */
import {
  BUILT_INS,
  MEASURES,
  MOST_FILTERS,
  OPERATORS,
  type BuiltIn,
  type ExploreBody,
  type ExploreFilter,
  type Measure,
  type Operator,
} from '../../api/explore'

export interface Question {
  /** Null: any. */
  event: string | null
  measure: Measure
  group: string | null
  /** As they stand on screen: also those that are not filled in yet. */
  filters: ExploreFilter[]
}

/** Anyone can write an address: what makes no sense counts as absent. */
export function readQuestion(query: URLSearchParams): Question {
  return {
    event: query.get('event') || null,
    measure: MEASURES.find((measure) => measure === query.get('measure')) ?? 'events',
    group: query.get('group') || null,
    filters: query.getAll('filter').flatMap(readFilter).slice(0, MOST_FILTERS),
  }
}

/** Beside what else the address says, such as the range. */
export function writeQuestion(before: URLSearchParams, question: Question): URLSearchParams {
  const query = new URLSearchParams(before)
  for (const name of ['event', 'measure', 'group', 'filter']) query.delete(name)
  if (question.event) query.set('event', question.event)
  if (question.measure !== 'events') query.set('measure', question.measure)
  if (question.group) query.set('group', question.group)
  for (const filter of question.filters) query.append('filter', writeFilter(filter))
  return query
}

/** Property, operator and values, in one word each. */
function writeFilter({ property, operator, values }: ExploreFilter): string {
  return [property, operator, ...values].map(escaped).join('~')
}

function readFilter(text: string): ExploreFilter[] {
  const [property, named, ...values] = text.split('~').map(unescaped)
  const operator = OPERATORS.find((one) => one === named)
  return property && operator ? [{ property, operator, values: values.filter(Boolean) }] : []
}

const escaped = (text: string) => text.replace(/[!~]/g, (one) => (one === '!' ? '!!' : '!-'))
const unescaped = (text: string) => text.replace(/!([!-])/g, (_, one) => (one === '!' ? '!' : '~'))

export const NO_VALUE: readonly Operator[] = ['set', 'not_set']
/** These compare numbers, and with one number. */
export const NUMERIC: readonly Operator[] = ['gt', 'gte', 'lt', 'lte']

export function isComplete({ property, operator, values }: ExploreFilter): boolean {
  if (!property) return false
  if (NO_VALUE.includes(operator)) return true
  if (NUMERIC.includes(operator)) return values.length === 1 && isNumber(values[0]!)
  return values.length > 0
}

export const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text))

/** What of the values still makes sense under another operator. */
export function withOperator(filter: ExploreFilter, operator: Operator): ExploreFilter {
  const { values } = filter
  if (NO_VALUE.includes(operator)) return { ...filter, operator, values: [] }
  return {
    ...filter,
    operator,
    values: NUMERIC.includes(operator) ? values.filter(isNumber).slice(0, 1) : values,
  }
}

type Time = Pick<ExploreBody, 'start' | 'end' | 'granularity' | 'timezone'>

/** What is not filled in yet asks nothing. */
export function bodyOf({ event, measure, group, filters }: Question, time: Time): ExploreBody {
  return {
    event,
    measure,
    group_by: group,
    filters: filters
      .filter(isComplete)
      .map((filter) => (NO_VALUE.includes(filter.operator) ? { ...filter, values: [] } : filter)),
    ...time,
  }
}

export function isBuiltIn(property: string): property is BuiltIn {
  return BUILT_INS.some((one) => one === property)
}
