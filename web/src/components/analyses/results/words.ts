/** The display names of parts of questions and answers. */
import type { EventChoice, GroupValues, PathNode } from '../../../api/analysisTypes'
import { isolated } from '../../../lib/bidi'
import { spaced } from '../../../lib/time'
import type { Translate } from '../../../i18n/store'
import { isCohort } from '../filters'
import { propertyName, type CohortNames } from '../properties'

export function eventName({ events }: EventChoice, t: Translate): string {
  if (events.length === 0) return t('results.anyEvent')
  return events.map(isolated).join(' / ')
}

/** The server's names for people in a cohort and everyone else. */
export const IN_COHORT = 'in'
const NOT_IN_COHORT = 'out'

interface GroupWords {
  t: Translate
  cohorts: CohortNames
  /** What the groups were made by. */
  breakdown: string[] | undefined
}

export function groupName({ values, other, redacted }: GroupValues, words: GroupWords): string {
  const { t, breakdown = [] } = words
  if (other) return t('results.other')
  return values
    .map((value, index) =>
      redacted[index] ? t('properties.hidden') : valueName(value, breakdown[index] ?? '', words),
    )
    .join(' · ')
}

function valueName(value: string | null, property: string, { t, cohorts }: GroupWords): string {
  if (isCohort(property)) {
    const name = propertyName(property, t, cohorts)
    if (value === IN_COHORT) return name
    if (value === NOT_IN_COHORT) return t('results.notInCohort', { name })
  }
  if (value === null) return t('results.notSet')
  return value === '' ? '""' : isolated(value)
}

/** Values can be any text, even another group's key, and hidden ones all look alike. */
export function groupKey({ values, other, redacted }: GroupValues, index: number): string {
  if (other) return 'other'
  return redacted.some(Boolean) ? `hidden ${index}` : JSON.stringify(values)
}

export function nodeName({ kind, name, page }: PathNode, t: Translate): string {
  if (kind === 'other') return t('results.paths.other')
  if (kind === 'hidden') return t('results.paths.hidden')
  return [name ?? '', ...(page === null ? [] : [page])].map(isolated).join(' ')
}

/** Short: a page path implies a page view. */
export const nodeLabel = (node: PathNode, t: Translate) =>
  node.kind === 'event' && node.page ? isolated(node.page) : nodeName(node, t)

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A duration in its two largest units: "1 hr 5 min". */
export function elapsed(seconds: number, language: string): string {
  const whole = Math.max(0, Math.round(seconds))
  const first = UNITS.findIndex(([, length]) => whole >= length)
  if (first < 0) return formatUnit(0, 'second', language)
  const [unit, length] = UNITS[first]!
  const text = formatUnit(Math.floor(whole / length), unit, language)
  const [smaller, smallerLength] = UNITS[first + 1] ?? ['second', 1]
  const rest = Math.floor((whole % length) / smallerLength)
  return rest === 0 ? text : `${text} ${formatUnit(rest, smaller, language)}`
}

const formatUnit = (value: number, unit: string, language: string) =>
  spaced(value.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'short' }))
