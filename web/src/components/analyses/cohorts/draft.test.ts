import { describe, expect, it } from 'vitest'
import type { CohortDefinition } from '../../../api/analysisTypes'
import { translate, useLanguageStore, type Translate } from '../../../i18n/store'
import { definitionLines } from './definitionWords'
import { definitionOf, draftOf, EMPTY_DRAFT, NEW_RULES, problemOf } from './draft'
import { readIds } from './ids'

describe('ids', () => {
  it('stand on lines of their own, each once', () => {
    expect(readIds('\ufeffu-1\r\n\n  u-2 \nu-1\n')).toEqual(['u-1', 'u-2'])
  })

  it('are the first column of a table, without its heading', () => {
    expect(readIds('user_id,name\n"a,1",林\nb\t2\n"say ""hi""",x')).toEqual([
      'a,1',
      'b',
      'say "hi"',
    ])
    // A header is normally recognized by the rows below it, but no ID is called "ID".
    expect(readIds('ID')).toEqual([])
    expect(readIds('identity')).toEqual(['identity'])
  })
})

const RULES: CohortDefinition = {
  of: 'rule',
  any: [
    { is: 'profile', property: '$user:plan', operator: 'is', values: ['pro'] },
    { is: 'did', event: { events: ['order'] }, not: true, times: 3, days: 30 },
  ],
}

describe('a definition', () => {
  it.each<[CohortDefinition]>([
    [RULES],
    [{ of: 'rule', all: RULES.any }],
    [{ of: 'ids', ids: ['a', 'b'] }],
  ])('comes back from the form as it went in: %j', (definition) => {
    const draft = draftOf(definition)!
    expect(problemOf(draft)).toBeNull()
    expect(definitionOf(draft)).toEqual(definition)
  })

  it('of a figure is not put together by hand', () => {
    const question = { kind: 'lifecycle', start: '2026-03-01', end: '2026-03-01' } as const
    const pick = { of: 'lifecycle', time: 0, state: 'new' } as const
    expect(draftOf({ of: 'figure', question, pick })).toBeNull()
  })

  it('leaves out tests of events that say nothing yet', () => {
    const filters = { all: [{ property: '$os', operator: 'is' as const, values: [] }] }
    const rule = { ...NEW_RULES.did, event: { events: ['order'], filters } }
    expect(definitionOf({ ...EMPTY_DRAFT, rules: [rule] })).toEqual({
      of: 'rule',
      all: [{ is: 'did', event: { events: ['order'] }, not: false, times: 1, days: 30 }],
    })
  })
})

it.each([
  ['cohorts.problem.noRules', { rules: [] }],
  ['cohorts.problem.profile', { rules: [NEW_RULES.profile] }],
  ['cohorts.problem.numbers', { rules: [{ ...NEW_RULES.did, days: '366' }] }],
  ['cohorts.problem.numbers', { rules: [{ ...NEW_RULES.did, times: 'x' }] }],
  ['cohorts.problem.noIds', { of: 'ids' as const }],
  [
    'cohorts.problem.manyIds',
    { of: 'ids' as const, ids: Array.from({ length: 10_001 }, (_, id) => `u${id}`).join('\n') },
  ],
])('is not kept with %s', (problem, changed) => {
  expect(problemOf({ ...EMPTY_DRAFT, ...changed })).toBe(problem)
})

it('is told in words', () => {
  const t: Translate = (key, params) => translate(useLanguageStore.getState(), key, params)
  const words = { t, language: 'zh-CN', cohorts: () => undefined }
  const lines = (definition: CohortDefinition) => definitionLines(definition, words, 'UTC')
  expect(lines(RULES)[0]).toContain('plan')
  expect(lines(RULES)[1]).toMatch(/最近 30 天内做 .*order.* 不到 3 次/)
  expect(lines({ of: 'ids', ids: ['a', 'b'] })).toEqual(['名单中的 ID：2 个'])
  const question = { kind: 'lifecycle', start: '2026-03-01', end: '2026-03-02' } as const
  const pick = { of: 'lifecycle', time: Date.parse('2026-03-01'), state: 'new' } as const
  expect(lines({ of: 'figure', question, pick })[1]).toBe('2026年3月1日周日 · 新增')
})
