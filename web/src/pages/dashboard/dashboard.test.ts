import { describe, expect, it } from 'vitest'
import { FIGURES, questionFor, type OverallApp, type OverallQuestion } from '../../api/overall'
import { languageName } from '../../components/figures/languageName'
import { shareOf } from '../../components/figures/shares'
import { seriesOf } from '../../components/figures/Trend'
import type { Translate } from '../../i18n/store'
import { chosenApps, isZone, withParam } from './address'
import { sortedBy } from '../../components/table/useTableParams'
import { pageOfApps } from './appRows'

const QUESTION: OverallQuestion = {
  start: '2026-03-01',
  end: '2026-03-07',
  granularity: 'day',
  compare: 'previous_year',
  timezone: 'Asia/Shanghai',
}

describe('the question of a part', () => {
  it('says what matters to it', () => {
    expect(questionFor('series', QUESTION)).toEqual(QUESTION)
    expect(questionFor('totals', QUESTION)).toEqual(QUESTION)
  })

  it('stays the same where what changed does not matter to it', () => {
    const other = { ...QUESTION, granularity: 'hour', compare: 'none' } as const
    for (const part of ['top_events', 'breakdowns', 'pages', 'ingest'] as const) {
      expect(questionFor(part, QUESTION)).toEqual(questionFor(part, other))
    }
  })
})

describe('the address', () => {
  it('lists apps; those that the team does not have are left out once that is known', () => {
    expect(chosenApps(null, undefined)).toEqual([])
    expect(chosenApps('a,b,,a', undefined)).toEqual(['a', 'b'])
    expect(chosenApps('a,b', [{ id: 'b' }])).toEqual(['b'])
  })

  it('changes one thing and starts at the first page', () => {
    const before = new URLSearchParams('org=1&apps=a&page=3')
    expect(withParam(before, 'apps', null).toString()).toBe('org=1')
    expect(withParam(before, 'metric', 'page_views').toString()).toBe(
      'org=1&apps=a&metric=page_views',
    )
  })

  it('may name a zone that exists', () => {
    expect(isZone('Europe/Berlin')).toBe(true)
    expect(isZone('Mars/Olympus')).toBe(false)
  })
})

describe('the table of apps', () => {
  const app = (name: string, events: number, sessions = 0) =>
    ({
      ...Object.fromEntries(FIGURES.map((figure) => [figure, { value: 0 }])),
      id: name,
      name,
      share: 0,
      events: { value: events },
      sessions: { value: sessions },
    }) as OverallApp
  const apps = [app('b', 1, 7), app('a', 1, 8), app('c', 5, 6)]
  const names = (params: object) =>
    pageOfApps(apps, sortedBy('events', { page: 1, page_size: 20, ...params })).items.map(
      ({ name }) => name,
    )

  it('begins with the most events, equals by name', () => {
    expect(names({})).toEqual(['c', 'a', 'b'])
  })

  it('sorts by any figure and by name, either way', () => {
    expect(names({ sort: 'sessions', order: 'asc' })).toEqual(['c', 'b', 'a'])
    expect(names({ sort: 'name', order: 'desc' })).toEqual(['c', 'b', 'a'])
    expect(names({ sort: 'events', order: 'asc' })).toEqual(['a', 'b', 'c'])
  })

  it('is turned page by page', () => {
    const second = pageOfApps(apps, sortedBy('events', { page: 2, page_size: 2 }))
    expect(second).toEqual({ items: [apps[0]], total: 3 })
  })
})

describe('the trend', () => {
  const t: Translate = (key) => key
  const point = (time: number, events: number) => ({
    time,
    partial: false,
    events,
    page_views: 0,
    active_users: 0,
    active_devices: 0,
    new_devices: 0,
    sessions: 0,
  })

  it('is one line without a comparison', () => {
    const series = seriesOf([{ ...point(1, 5), previous: null }], 'events', t)
    expect(series).toEqual([{ key: 'events', name: 'metric.events', values: [5] }])
  })

  it('is held against the same place of the other range, by its own times', () => {
    const points = [
      { ...point(10, 5), previous: point(1, 3) },
      { ...point(20, 6), previous: point(2, 4) },
    ]
    expect(seriesOf(points, 'events', t)[1]).toMatchObject({
      values: [3, 4],
      times: [1, 2],
      dashed: true,
    })
  })

  it('has no value where the time lies ahead, but the whole time before', () => {
    const ahead = { time: 20, partial: false, events: null, previous: point(2, 4) }
    const so_far = { ...point(10, 5), partial: true, previous: point(1, 3) }
    const [now, before] = seriesOf([so_far, ahead], 'events', t)
    expect([now!.values, before!.values]).toEqual([
      [5, null],
      [3, 4],
    ])
  })
})

it('counts shares of what is listed', () => {
  expect(shareOf(1, [{ events: 1 }, { events: 3 }])).toBe(0.25)
  expect(shareOf(0, [])).toBe(0)
})

it('knows what a language is called', () => {
  expect(languageName('de', 'zh-CN')).toBe('德语')
  expect(languageName('not a language!', 'zh-CN')).toBeNull()
})
