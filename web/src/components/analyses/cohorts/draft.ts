/** A cohort definition as it is edited, possibly incomplete. */
import type { CohortDefinition, CohortRule } from '../../../api/analysisTypes'
import type { MessageKey } from '../../../i18n/store'
import { completeFilters, isComplete, NO_VALUE } from '../filters'
import { MOST_IDS, readIds } from './ids'

export const MOST_RULES = 10
const MOST_TIMES = 1000
const MOST_DAYS = 365

type ProfileRule = Extract<CohortRule, { is: 'profile' }>
type DidRule = Extract<CohortRule, { is: 'did' }>

/** Numbers as typed. */
export type RuleDraft =
  ProfileRule | (Omit<DidRule, 'times' | 'days'> & Record<'times' | 'days', string>)

export interface DefinitionDraft {
  of: 'rule' | 'ids'
  joined: 'all' | 'any'
  rules: RuleDraft[]
  ids: string
}

export const NEW_RULES: { [is in RuleDraft['is']]: Extract<RuleDraft, { is: is }> } = {
  did: { is: 'did', event: { events: [] }, not: false, times: '1', days: '30' },
  profile: { is: 'profile', property: '$user:', operator: 'is', values: [] },
}

export const EMPTY_DRAFT: DefinitionDraft = {
  of: 'rule',
  joined: 'all',
  rules: [NEW_RULES.did],
  ids: '',
}

/** Null if the definition can't be edited: taken from a figure, or with hidden IDs. */
export function draftOf(definition: CohortDefinition): DefinitionDraft | null {
  if (definition.of === 'figure') return null
  if (definition.of === 'ids') {
    if (definition.ids.length === 0 && definition.count) return null
    return { ...EMPTY_DRAFT, of: 'ids', ids: definition.ids.join('\n') }
  }
  const all = 'all' in definition
  const rules = all ? definition.all : definition.any
  return {
    ...EMPTY_DRAFT,
    joined: all ? 'all' : 'any',
    rules: rules.map((rule) =>
      rule.is === 'did' ? { ...rule, times: String(rule.times), days: String(rule.days) } : rule,
    ),
  }
}

/** What is missing or exceeds a limit; null if it can be saved. */
export function problemOf({ of, rules, ids }: DefinitionDraft): MessageKey | null {
  if (of === 'ids') {
    const count = readIds(ids).length
    if (count === 0) return 'cohorts.problem.noIds'
    return count > MOST_IDS ? 'cohorts.problem.manyIds' : null
  }
  if (rules.length === 0) return 'cohorts.problem.noRules'
  if (rules.some((rule) => rule.is === 'profile' && !isComplete(rule))) {
    return 'cohorts.problem.profile'
  }
  const numbersFit = rules.every(
    (rule) => rule.is === 'profile' || (fits(rule.times, MOST_TIMES) && fits(rule.days, MOST_DAYS)),
  )
  return numbersFit ? null : 'cohorts.problem.numbers'
}

const fits = (text: string, most: number) =>
  /^\d+$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= most

export const isTimes = (text: string) => fits(text, MOST_TIMES)
export const isDays = (text: string) => fits(text, MOST_DAYS)

/** Expects a draft without problems. */
export function definitionOf({ of, joined, rules, ids }: DefinitionDraft): CohortDefinition {
  if (of === 'ids') return { of, ids: readIds(ids) }
  const whole = rules.map(wholeRule)
  return joined === 'all' ? { of, all: whole } : { of, any: whole }
}

function wholeRule(rule: RuleDraft): CohortRule {
  if (rule.is === 'profile') {
    return NO_VALUE.includes(rule.operator) ? { ...rule, values: [] } : rule
  }
  const filters = completeFilters(rule.event.filters)
  const event = { events: rule.event.events, ...(filters && { filters }) }
  return { ...rule, event, times: Number(rule.times), days: Number(rule.days) }
}
