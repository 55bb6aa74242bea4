// Needs no page.
/**
 * The demo's saved analyses are what the console would have saved: it reads them all and writes the
 * same.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import type { CohortDefinition, Kind } from '../../api/analysisTypes'
import { readStored, storedQuestion } from './address'
import { missing } from './question'

interface Kept {
  cohorts: { key: string; definition: CohortDefinition }[]
  analyses: { name: { en: string }; question: { kind: Kind } }[]
}

const file = resolve(import.meta.dirname, '../../../../crates/atrium/src/demo/kept.json')
const kept = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Kept>)
const analyses = kept.flatMap((of) => of.analyses.map((one) => [one.name.en, one] as const))

it.each(analyses)('reads and writes “%s” alike', (_, { question }) => {
  const stored = readStored(question, question.kind)
  expect(stored?.range).not.toBeNull()
  expect(missing(stored!.draft)).toBeNull()
  expect(storedQuestion(stored!.draft, stored!.range!)).toEqual(question)
})

it('shows every kind, and names only cohorts that are kept', () => {
  expect(new Set(analyses.map(([, { question }]) => question.kind)).size).toBe(6)
  for (const of of kept) {
    const named = JSON.stringify(of.analyses).matchAll(/\$cohort:(\w+)/g)
    const keys = of.cohorts.map(({ key }) => key)
    for (const [, key] of named) expect(keys).toContain(key)
  }
})
