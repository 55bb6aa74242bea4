/** Describes the question as a readable sentence. */
import type { EventChoice, Filters, Series, Test } from '../../api/analysisTypes'
import type { MessageKey, Translate } from '../../i18n/store'
import { isolated } from '../../lib/bidi'
import { spaced } from '../../lib/time'
import { completeFilters, isAll, isCohort, isGroup, itemsOf, NO_VALUE } from './filters'
import { propertyName, type CohortNames } from './properties'
import {
  ANY,
  completeBreakdown,
  hasProperty,
  LETTERS,
  type Draft,
  type FunnelDraft,
  type RetentionDraft,
} from './question'

export interface Words {
  t: Translate
  language: string
  cohorts: CohortNames
}

/** Without its days, which are shown beside it. */
export function sentenceOf(draft: Draft, words: Words): string {
  const clauses = [main(draft, words), ...whereClause(draft, words), ...byClause(draft, words)]
  if (draft.kind === 'trend' && draft.compare) {
    clauses.push(words.t(`analyses.say.compare.${draft.compare}`))
  }
  return capitalized(joined(clauses, words), words.language)
}

function main(draft: Draft, words: Words): string {
  const event = (choice: EventChoice) => eventText(choice, words)
  switch (draft.kind) {
    case 'trend':
      return trendText(draft, words)
    case 'funnel':
      return funnelText(draft, words)
    case 'retention':
      return retentionText(draft, words)
    case 'paths': {
      const within =
        draft.window_minutes === undefined
          ? words.t('analyses.say.session')
          : put('analyses.say.within', { window: windowText(draft.window_minutes, words) }, words)
      const side = draft.to ? 'analyses.say.pathsTo' : 'analyses.say.pathsFrom'
      const params = {
        event: event(draft.to ?? draft.from ?? ANY),
        steps: String(draft.steps),
        within,
      }
      const of = draft.events && draft.events.events.length > 0 ? event(draft.events) : null
      const text = put(side, params, words)
      return of === null
        ? text
        : joined([text, put('analyses.say.pathsOf', { events: of }, words)], words)
    }
    case 'distribution':
      return typeof draft.of === 'object'
        ? put(
            'analyses.say.distributionProperty',
            { event: event(draft.event), property: named(draft.of.property, words) },
            words,
          )
        : put(
            draft.of === 'times'
              ? 'analyses.say.distributionTimes'
              : 'analyses.say.distributionDays',
            { event: event(draft.event) },
            words,
          )
    case 'lifecycle':
      return put('analyses.say.lifecycle', { event: event(draft.event ?? ANY) }, words)
  }
}

function trendText({ series, formula }: Extract<Draft, { kind: 'trend' }>, words: Words): string {
  const texts = series.map((one) => seriesText(one, words))
  if (!formula) return listed(texts, 'conjunction', words)
  const named = texts.map((text, index) =>
    put('analyses.say.letter', { letter: LETTERS[index]!, series: text }, words),
  )
  return put(
    'analyses.say.formula',
    {
      formula: isolated(formula),
      series: isChinese(words.language)
        ? joined(named, words)
        : listed(named, 'conjunction', words),
    },
    words,
  )
}

/** What one line of a trend counts. */
function seriesText({ measure, ...choice }: Series, words: Words): string {
  const event = eventText(choice, words)
  if (!hasProperty(measure)) return put(`analyses.say.measure.${measure.of}`, { event }, words)
  const property = named(measure.property, words)
  return put(`analyses.say.measure.${measure.of}`, { event, property }, words)
}

function funnelText({ steps, window_minutes, order, exclude }: FunnelDraft, words: Words): string {
  const names = steps.map((step) => eventText(step, words))
  const window = windowText(window_minutes, words)
  const [first, last] = [names[0]!, names.at(-1)!]
  const then = (before: string, after: string) => put('analyses.say.then', { before, after }, words)
  const text =
    names.length === 2
      ? put('analyses.say.funnelTwo', { first, last, window }, words)
      : put('analyses.say.funnel', { steps: names.reduce(then), window }, words)
  const extra = [
    ...(order === 'strict' ? [words.t('analyses.say.strict')] : []),
    ...(exclude ? [put('analyses.say.exclude', { event: eventText(exclude, words) }, words)] : []),
  ]
  return joined([text, ...extra], words)
}

function retentionText(draft: RetentionDraft, words: Words): string {
  const { first, first_ever, returning, unit, units, mode } = draft
  const params = {
    first: eventText(first, words),
    returning: eventText(returning, words),
    span: unitText(units, unit, words.language),
  }
  const who = first_ever ? 'analyses.say.retentionEver' : 'analyses.say.retention'
  const text = put(who, params, words)
  return mode === 'on_or_after' ? joined([text, words.t('analyses.say.orAfter')], words) : text
}

/** One or more events, with their filters. */
export function eventText({ events, filters }: EventChoice, words: Words): string {
  const names =
    events.length === 0
      ? words.t('analyses.say.any')
      : listed(events.map(isolated), 'disjunction', words)
  const whole = completeFilters(filters)
  if (!whole) return names
  return put('analyses.say.eventWhere', { event: names, filters: filtersText(whole, words) }, words)
}

function whereClause({ filters }: Draft, words: Words): string[] {
  const whole = completeFilters(filters)
  return whole ? [put('analyses.say.where', { filters: filtersText(whole, words) }, words)] : []
}

export function filtersText(filters: Filters, words: Words): string {
  const items = itemsOf(filters).map((item) => {
    if (!isGroup(item)) return testText(item, words)
    return put('analyses.say.nested', { filters: filtersText(item, words) }, words)
  })
  const key = isAll(filters) ? 'analyses.say.and' : 'analyses.say.or'
  return items.reduce((before, after) => put(key, { before, after }, words))
}

function testText({ property, operator, values }: Test, words: Words): string {
  const { t } = words
  if (isCohort(property)) {
    const key = operator === 'is' ? 'analyses.say.inCohort' : 'analyses.say.notInCohort'
    return put(key, { name: propertyName(property, t, words.cohorts) }, words)
  }
  const test = t(`analyses.operator.${operator}`)
  const params = { property: named(property, words), test }
  if (NO_VALUE.includes(operator)) return put('analyses.say.testAlone', params, words)
  const value = listed(values.map(isolated), 'disjunction', words)
  return put('analyses.say.test', { ...params, value }, words)
}

function byClause(draft: Draft, words: Words): string[] {
  const breakdown = 'breakdown' in draft ? completeBreakdown(draft.breakdown) : []
  if (breakdown.length === 0) return []
  const properties = breakdown.map((property) => {
    if (!isCohort(property)) return named(property, words)
    return put(
      'analyses.say.cohort',
      { name: propertyName(property, words.t, words.cohorts) },
      words,
    )
  })
  return [put('analyses.say.by', { properties: listed(properties, 'conjunction', words) }, words)]
}

/** For use mid-sentence in English: "browser", "user ID", but "SDK version". */
function named(property: string, { t, cohorts }: Words): string {
  const name = propertyName(property, t, cohorts)
  return name === property ? name : name.replace(/^[A-Z](?=[a-z])/, (one) => one.toLowerCase())
}

const UNITS = [
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
] as const

/** In the largest unit that divides it evenly. */
function windowText(minutes: number, { language }: Words): string {
  const [unit, length] = UNITS.find(([, size]) => minutes % size === 0)!
  return unitText(minutes / length, unit, language)
}

const unitText = (value: number, unit: string, language: string) =>
  spaced(value.toLocaleString(language, { style: 'unit', unit, unitDisplay: 'long' }))

function listed(texts: string[], type: 'conjunction' | 'disjunction', { language }: Words): string {
  const parts = new Intl.ListFormat(language, { type, style: 'long' }).formatToParts(texts)
  return parts
    .map(({ type: part, value }, at) => {
      if (part !== 'literal' || !isChinese(language) || !HAN.test(value)) return value
      // "a 或 b" beside "甲或乙".
      const space = (beside: string | undefined) => (HAN.test(beside ?? '') ? '' : ' ')
      const [before, after] = [parts[at - 1]?.value.at(-1), parts[at + 1]?.value[0]]
      // Avoids "总和和".
      if (before === value) return '、'
      return `${space(before)}${value.trim()}${space(after)}`
    })
    .join('')
}

const isChinese = (language: string) => language.startsWith('zh')
/** Han characters and their punctuation, which brings its own spacing. */
const HAN = /[\p{Script=Han}\u3000-\u303f\uff00-\uffef“”]/u

/** Chinese puts a space next to text in another script, but none between its own characters. */
function put(key: MessageKey, params: Record<string, string>, { t, language }: Words): string {
  const parts = t(key).split(/(\{\w+\})/)
  const said = parts.map((part) => params[part.slice(1, -1)] ?? part)
  if (!isChinese(language)) return said.join('')
  return said
    .map((text, at) => {
      if (at % 2 === 1) return text
      const [before, after] = [said[at - 1]?.at(-1) ?? '', said[at + 1]?.[0] ?? '']
      if (text === ' ') return HAN.test(before) && HAN.test(after) ? '' : text
      const start = text.startsWith(' ') && HAN.test(before) && HAN.test(text[1] ?? '') ? 1 : 0
      const end =
        text.endsWith(' ') && HAN.test(after) && HAN.test(text.at(-2) ?? '') ? -1 : undefined
      return text.slice(start, end)
    })
    .join('')
}

/** Joins clauses. */
const joined = (texts: string[], words: Words) =>
  texts.reduce((before, after) => put('analyses.say.clauses', { before, after }, words))

const capitalized = (text: string, language: string) =>
  isChinese(language) ? text : text.replace(/^[a-z]/, (one) => one.toUpperCase())
