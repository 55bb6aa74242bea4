/** Describes in words who is in a cohort. */
import type { CohortDefinition, CohortRule } from '../../../api/analysisTypes'
import { pickWords } from '../results/pickWords'
import { eventText, filtersText, type Words } from '../sentence'

/** One line per condition. */
export function definitionLines(
  definition: CohortDefinition,
  words: Words,
  timezone: string,
): string[] {
  const { t } = words
  switch (definition.of) {
    case 'ids':
      return [t('cohorts.idCount', { count: definition.count ?? definition.ids.length })]
    case 'figure': {
      const { question, pick } = definition
      return [
        `${t(`analyses.kind.${question.kind}`)} · ${question.start} – ${question.end}`,
        pickWords(question, pick, { ...words, timezone: question.timezone ?? timezone }),
      ]
    }
    case 'rule':
      return rulesOf(definition).map((rule) => ruleText(rule, words))
  }
}

export const rulesOf = (definition: Extract<CohortDefinition, { of: 'rule' }>) =>
  'all' in definition ? definition.all : definition.any

function ruleText(rule: CohortRule, words: Words): string {
  if (rule.is === 'profile') return filtersText({ all: [rule] }, words)
  const { not, times, days } = rule
  const event = eventText(rule.event, words)
  if (times === 1) return words.t(not ? 'cohorts.said.never' : 'cohorts.said.once', { event, days })
  return words.t(not ? 'cohorts.said.didNot' : 'cohorts.said.did', { event, times, days })
}
