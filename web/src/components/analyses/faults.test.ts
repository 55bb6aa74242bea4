import { describe, expect, it } from 'vitest'
import type { Test } from '../../api/analysisTypes'
import { sortFaults } from './faults'
import { EMPTY, type Draft } from './question'

const whole: Test = { property: 'plan', operator: 'is', values: ['pro'] }
const unfinished: Test = { property: 'plan', operator: 'is', values: [] }
const set: Test = { property: 'plan', operator: 'set', values: [] }

const trend: Draft = {
  kind: 'trend',
  series: [
    { events: [], measure: { of: 'events' } },
    {
      events: ['order'],
      measure: { of: 'sum', property: 'amount' },
      filters: { all: [unfinished, whole, { any: [unfinished] }, { any: [set, whole] }] },
    },
  ],
  formula: 'A / B',
  filters: { all: [whole] },
  breakdown: ['$os'],
}
const funnel: Draft = { ...EMPTY.funnel, exclude: { events: ['refund'] } }
const paths: Draft = { kind: 'paths', to: { events: ['order'] }, steps: 5 }

describe('a fault', () => {
  it.each<[Draft, string, string | null]>([
    [trend, 'series[1].measure.property', 'series[1].measure.property'],
    [trend, 'series[0].measure.property', 'series[0].measure'],
    [trend, 'series[0].events[3]', 'series[0].events'],
    [trend, 'series[0]', 'series[0].events'],
    [trend, 'formula', 'formula'],
    [trend, 'breakdown[0]', 'breakdown[0]'],
    [trend, 'breakdown', null],
    [trend, 'filters[0].values', 'filters[0].values'],
    [trend, 'filters.all[0].values', 'filters[0].values'],
    [trend, 'filters', 'filters'],
    [trend, 'series', null],
    [trend, 'end', null],
    [trend, 'window_minutes', null],
    [{ ...trend, formula: undefined }, 'formula', null],
    [funnel, 'steps[1].events', 'steps[1].events'],
    [funnel, 'exclude.events', 'exclude.events'],
    [funnel, 'window_minutes', 'window_minutes'],
    [paths, 'to.events', 'to.events'],
    [paths, 'events.events', 'events.events'],
    [paths, 'steps', 'steps'],
    [paths, 'window_minutes', null],
    [EMPTY.retention, 'returning.events', 'returning.events'],
    [EMPTY.retention, 'unit', 'unit'],
    [EMPTY.distribution, 'edges[1]', 'edges'],
    [{ ...EMPTY.distribution, of: { property: 'x' } }, 'of.property', 'of.property'],
    [EMPTY.lifecycle, 'event.events', 'event.events'],
  ])('in a question %j at %s is said at %s', (draft, field, place) => {
    const { placed, rest } = sortFaults(draft, { [field]: 'wrong' })
    expect([...placed]).toEqual(place === null ? [] : [[place, 'wrong']])
    expect(rest).toEqual(place === null ? ['wrong'] : [])
  })

  it('is at the test that was sent, beside others that were not', () => {
    const { placed } = sortFaults(trend, {
      'series[1].filters[0].values': 'first',
      'series[1].filters[1][1].property': 'second',
      'series[1].filters.all[1].any[0].values': 'third',
    })
    expect([...placed]).toEqual([
      ['series[1].filters[1].values', 'first'],
      ['series[1].filters[3][1].property', 'second'],
      // This operator has no value field.
      ['series[1].filters[3][0].operator', 'third'],
    ])
  })

  it('is at the breakdown that was sent, beside one whose name is still to be typed', () => {
    const unnamed: Draft = { ...EMPTY.funnel, breakdown: ['$user:', '$cohort:c1'] }
    const { placed, rest } = sortFaults(unnamed, { 'breakdown[0]': 'no such cohort' })
    expect([...placed]).toEqual([['breakdown[1]', 'no such cohort']])
    expect(rest).toEqual([])
  })

  it('is said once where two are at the same place', () => {
    const { placed } = sortFaults(trend, { 'series[0]': 'one', 'series[0].events': 'other' })
    expect([...placed]).toEqual([['series[0].events', 'one']])
  })
})
