import { describe, expect, it } from 'vitest'
import type { ExploreFilter } from '../../api/explore'
import { bodyOf, isComplete, readQuestion, withOperator, writeQuestion } from './question'

const read = (text: string) => readQuestion(new URLSearchParams(text))
const NOTHING = { event: null, measure: 'events', group: null, filters: [] } as const

describe('a question in the address', () => {
  it('comes back as it was, beside what else is there', () => {
    const question = {
      event: 'order & pay',
      measure: 'per_user' as const,
      group: 'cart.total',
      filters: [
        { property: '$os', operator: 'is' as const, values: ['Windows', 'a~b!c', '!~'] },
        { property: 'plan', operator: 'not_set' as const, values: [] },
      ],
    }
    const query = writeQuestion(new URLSearchParams('range=30d'), question)
    expect(query.get('range')).toBe('30d')
    expect(readQuestion(new URLSearchParams(query.toString()))).toEqual(question)
  })

  it('needs no mention of what goes without saying', () => {
    const before = new URLSearchParams('event=x&measure=users&group=y&filter=z~is~1&range=30d')
    expect(writeQuestion(before, { ...NOTHING, filters: [] }).toString()).toBe('range=30d')
  })

  it.each([
    '',
    'measure=votes',
    'filter=',
    'filter=x',
    'filter=x~like~y',
    'filter=~is~y',
    'event=',
  ])('asks nothing by %j', (text) => expect(read(text)).toEqual(NOTHING))

  it('has ten filters at most', () => {
    const many = new URLSearchParams(Array.from({ length: 12 }, () => ['filter', 'a~is~b']))
    expect(readQuestion(many).filters).toHaveLength(10)
  })
})

describe('a filter', () => {
  const filter = (changes: Partial<ExploreFilter>): ExploreFilter => ({
    property: 'plan',
    operator: 'is',
    values: ['pro'],
    ...changes,
  })

  it.each([
    [{}, true],
    [{ values: [] }, false],
    [{ property: '' }, false],
    [{ operator: 'set', values: [] }, true],
    [{ operator: 'gt', values: ['1.5'] }, true],
    [{ operator: 'gt', values: ['many'] }, false],
    [{ operator: 'gt', values: ['1', '2'] }, false],
    [{ operator: 'contains', values: ['a', 'b'] }, true],
  ] as [Partial<ExploreFilter>, boolean][])('%j is complete: %s', (changes, complete) => {
    expect(isComplete(filter(changes))).toBe(complete)
  })

  it('keeps what still makes sense under another operator', () => {
    const before = filter({ values: ['pro', '3', '4'] })
    expect(withOperator(before, 'is_not').values).toEqual(['pro', '3', '4'])
    expect(withOperator(before, 'gte').values).toEqual(['3'])
    expect(withOperator(before, 'set').values).toEqual([])
  })

  it('is asked only once it is complete', () => {
    const days = { start: '2026-11-01', end: '2026-11-07', timezone: 'UTC' }
    const time = { ...days, granularity: 'day' as const }
    const filters = [filter({ values: [] }), filter({ operator: 'lt', values: ['9'] })]
    expect(bodyOf({ ...NOTHING, filters }, time)).toEqual({
      event: null,
      measure: 'events',
      group_by: null,
      filters: [filters[1]],
      ...time,
    })
  })
})
