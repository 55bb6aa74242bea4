import { describe, expect, it } from 'vitest'
import type { Filters } from '../../api/analysisTypes'
import { readStored, readWritten, searchOf, storedQuestion, writeDraft } from './address'
import { EMPTY, KINDS, questionOf, type Draft } from './question'

const filters: Filters = {
  all: [
    { property: '$os', operator: 'is', values: ['Windows', 'a"b', '中文'] },
    {
      any: [
        { property: '$user:plan', operator: 'not_set', values: [] },
        { property: '$cohort:c1', operator: 'is_not', values: [] },
      ],
    },
  ],
}

const DRAFTS: Draft[] = [
  {
    kind: 'trend',
    series: [
      { events: ['order & pay'], measure: { of: 'events' } },
      { events: ['a', 'b'], filters, measure: { of: 'sum', property: 'cart.total' } },
      { events: [], measure: { of: 'people' } },
    ],
    formula: 'A / B * 100',
    compare: 'previous_period',
    chart: 'bar',
    course: 'cumulative',
    breakdown: ['$browser', 'plan'],
    granularity: 'minute',
    filters,
  },
  {
    kind: 'funnel',
    steps: [{ events: ['landing'] }, { events: ['signup'], filters }, { events: [] }],
    window_minutes: 90,
    order: 'strict',
    exclude: { events: ['refund'] },
    granularity: 'week',
    breakdown: ['$user:plan', '$cohort:c1'],
  },
  {
    kind: 'retention',
    first: { events: ['signup'] },
    first_ever: true,
    returning: { events: [] },
    unit: 'week',
    units: 12,
    mode: 'on_or_after',
  },
  {
    kind: 'paths',
    to: { events: ['order'] },
    events: { events: ['page_view', 'click'] },
    steps: 8,
    window_minutes: 1440,
    branches: 20,
  },
  {
    kind: 'distribution',
    event: { events: ['order'] },
    of: { property: 'amount' },
    edges: [1, 10],
  },
  { kind: 'lifecycle', event: { events: ['order'], filters }, granularity: 'month' },
]

describe('a question in the address', () => {
  it.each(DRAFTS.map((draft) => [draft.kind, draft] as const))(
    'comes back as it was: %s',
    (kind, draft) => {
      const address = new URLSearchParams(searchOf(draft, '30d'))
      expect(readWritten(address.get('q'), kind)).toEqual(draft)
      expect(address.get('range')).toBe('30d')
    },
  )

  it('needs no mention where it is what a page begins with', () => {
    for (const kind of KINDS) expect(writeDraft(EMPTY[kind])).toBe('')
    expect(searchOf(EMPTY.trend)).toBe('')
  })

  it('is what a page begins with where nothing is said about it', () => {
    for (const kind of KINDS) expect(readWritten('{}', kind)).toEqual(EMPTY[kind])
  })

  it('is short enough to be passed on', () => {
    const steps = Array.from({ length: 10 }, (_, index) => ({
      events: [`some_longer_event_name_${index}`],
      filters: { all: [{ property: '$os', operator: 'is' as const, values: ['Windows'] }] },
    }))
    const long = searchOf({ ...EMPTY.funnel, steps, breakdown: ['$browser'], filters }, '30d')
    expect(long.length).toBeLessThan(2000)
  })

  it.each([null, '', 'x', '{', '[]', '"trend"', '7', 'null'])('is none by %j', (text) =>
    expect(readWritten(text, 'trend')).toBeNull(),
  )

  it.each([
    '{"s":7}',
    '{"s":[]}',
    '{"s":[null,7,"a",{"e":"a"}]}',
    '{"s":[{"e":[],"m":"votes"}],"f":{"a":[["","is","x"],["$os","like","x"],7,null,{}]}}',
    '{"g":"year","b":[7,""],"formula":7,"compare":true,"chart":"pie","course":"each","__proto__":1}',
  ])('leaves out what makes no sense: %s', (text) => {
    expect(readWritten(text, 'trend')).toEqual(EMPTY.trend)
  })

  it.each([
    ['previous', 'previous_period'],
    ['year', 'previous_year'],
  ])('reads the comparison of earlier links: %s', (written, compare) => {
    expect(readWritten(JSON.stringify({ compare: written }), 'trend')).toMatchObject({ compare })
  })

  it('keeps within what can be asked', () => {
    const read = (value: object, kind: Draft['kind']) => readWritten(JSON.stringify(value), kind)
    const names = Array.from({ length: 30 }, (_, index) => `e${index}`)
    expect(read({ s: names.map((name) => [name]) }, 'trend')).toMatchObject({
      series: { length: 6 },
    })
    expect(read({ n: names.map((name) => [name]) }, 'funnel')).toMatchObject({
      steps: { length: 10 },
    })
    expect(read({ n: [names], w: 0 }, 'funnel')).toMatchObject({
      steps: [{ events: { length: 20 } }, { events: [] }],
      window_minutes: 10_080,
    })
    expect(read({ a: ['x'], us: 91, u: 'year' }, 'retention')).toMatchObject({
      first: { events: ['x'] },
      unit: 'day',
      units: 7,
    })
    expect(read({ from: ['x'], to: ['y'], n: 9 }, 'paths')).toEqual({
      kind: 'paths',
      from: { events: ['x'] },
      steps: 5,
    })
    expect(read({ e: ['x'], of: 'days', edges: [3, 2] }, 'distribution')).toEqual({
      kind: 'distribution',
      event: { events: ['x'] },
      of: 'days',
    })
  })
})

describe('a question that is kept', () => {
  it.each(DRAFTS.map((draft) => [draft.kind, draft] as const))(
    'comes back as it was: %s',
    (kind, draft) => {
      expect(readStored(storedQuestion(draft, '30d'), kind)).toEqual({ draft, range: '30d' })
      const days = { start: '2026-11-01', end: '2026-11-07' }
      expect(readStored(storedQuestion(draft, days), kind)).toEqual({ draft, range: days })
    },
  )

  it('has no days where what was stored says none', () => {
    expect(readStored({}, 'lifecycle')).toEqual({ draft: EMPTY.lifecycle, range: null })
  })
})

describe('what the server is asked', () => {
  const days = { start: '2026-11-01', end: '2026-11-07' }

  it('is without what is not filled in, and without how it is drawn', () => {
    const asked = questionOf(
      {
        kind: 'trend',
        series: [
          {
            events: ['a'],
            filters: { any: [{ property: '$os', operator: 'is', values: [] }] },
            measure: { of: 'people' },
          },
        ],
        filters: {
          all: [
            { property: '$user:', operator: 'is', values: ['x'] },
            { property: '$os', operator: 'set', values: ['left over'] },
            { any: [{ property: 'n', operator: 'gt', values: ['many'] }] },
          ],
        },
        breakdown: ['$user:', '$cohort:c1'],
        chart: 'table',
        course: 'average',
      },
      days,
      'UTC',
    )
    expect(asked).toEqual({
      kind: 'trend',
      series: [{ events: ['a'], measure: { of: 'people' } }],
      filters: { all: [{ property: '$os', operator: 'set', values: [] }] },
      breakdown: ['$cohort:c1'],
      granularity: 'day',
      ...days,
      timezone: 'UTC',
    })
    const unnamed = questionOf({ ...EMPTY.funnel, breakdown: ['$device:'] }, days, 'UTC')
    expect(unnamed).not.toHaveProperty('breakdown')
  })

  it('has points in time that suit the range', () => {
    const size = (granularity: 'minute' | 'month', range = days) => {
      const question = questionOf({ ...EMPTY.trend, granularity }, range, 'UTC')
      return 'granularity' in question && question.granularity
    }
    expect(size('minute', { start: '2026-11-06', end: '2026-11-07' })).toBe('minute')
    expect(size('minute')).toBe('day')
    expect(size('month')).toBe('day')
    expect(
      questionOf(EMPTY.lifecycle, { start: '2026-11-07', end: '2026-11-07' }, 'UTC'),
    ).toMatchObject({ granularity: 'day' })
    expect(questionOf(EMPTY.retention, days, 'UTC')).not.toHaveProperty('granularity')
  })
})
