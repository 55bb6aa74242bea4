// Needs no page.
import { describe, expect, it } from 'vitest'
import type { Test } from '../../api/analysisTypes'
import { countTests, isComplete, operatorsFor, withOperator, withProperty } from './filters'

const test = (changes: Partial<Test>): Test => ({
  property: 'plan',
  operator: 'is',
  values: ['pro'],
  ...changes,
})

describe('a test', () => {
  it.each([
    [{}, true],
    [{ values: [] }, false],
    [{ property: '' }, false],
    [{ property: '$user:' }, false],
    [{ property: '$user:plan' }, true],
    [{ property: '$cohort:c1', values: [] }, true],
    [{ property: '$cohort:', values: [] }, false],
    [{ property: '$cohort:c1', operator: 'contains' }, false],
    [{ operator: 'set', values: [] }, true],
    [{ operator: 'gt', values: ['1.5'] }, true],
    [{ operator: 'gt', values: ['many'] }, false],
    [{ operator: 'gt', values: ['1', '2'] }, false],
    [{ operator: 'contains', values: ['a', 'b'] }, true],
  ] as [Partial<Test>, boolean][])('%j is complete: %s', (changes, complete) => {
    expect(isComplete(test(changes))).toBe(complete)
  })

  it('keeps what still makes sense under another operator', () => {
    const before = test({ values: ['pro', '3', '4'] })
    expect(withOperator(before, 'is_not').values).toEqual(['pro', '3', '4'])
    expect(withOperator(before, 'gte').values).toEqual(['3'])
    expect(withOperator(before, 'set').values).toEqual([])
  })

  it('of a cohort is whether somebody belongs to it', () => {
    expect(withProperty(test({ operator: 'gt' }), '$cohort:c1')).toEqual({
      property: '$cohort:c1',
      operator: 'is',
      values: [],
    })
    expect(operatorsFor('cohort')).toEqual(['is', 'is_not'])
  })

  it('compares no numbers with what every event has', () => {
    const before = test({ property: 'amount', operator: 'gt', values: ['5'] })
    expect(withProperty(before, '$os').operator).toBe('is')
    expect(withProperty(before, 'price').operator).toBe('gt')
    expect(withProperty(before, '$user:age').operator).toBe('gt')
  })

  it('suits the values of its property', () => {
    expect(operatorsFor('text')).not.toContain('gt')
    expect(operatorsFor('text')).not.toContain('since')
    expect(operatorsFor('list')).toContain('contains')
    expect(operatorsFor('number')).not.toContain('contains')
    expect(operatorsFor('time').slice(0, 2)).toEqual(['since', 'before'])
    expect(operatorsFor('boolean')).toEqual(['is', 'is_not', 'set', 'not_set'])
  })

  it('is counted inside of groups too', () => {
    expect(countTests({ all: [test({}), { any: [test({}), test({})] }] })).toBe(3)
    expect(countTests(undefined)).toBe(0)
  })
})
