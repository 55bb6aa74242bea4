import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Person, Pick, Question } from '../../../api/analysisTypes'
import { useLanguageStore } from '../../../i18n/store'
import { translate } from '../../../i18n/store'
import { showInApp, user } from '../../../testing/app'
import { readPack } from '../../../testing/packs'
import { ok, refusal } from '../../../testing/server'
import { PeopleDrawer } from './index'
import { pickWords } from './pickWords'

const FIRST = Date.parse('2026-03-01T00:00:00Z')
const RANGE = { start: '2026-03-01', end: '2026-03-02', timezone: 'UTC' }
const funnel: Question = {
  kind: 'funnel',
  ...RANGE,
  steps: [{ events: ['view'] }, { events: ['pay'] }],
  window_minutes: 60,
}
const dropped: Pick = { of: 'funnel', step: 1, dropped: true, group: null }

const person = (id: string, kind: Person['kind'] = 'user'): Person => ({
  kind,
  id,
  ref: id,
  first_seen: null,
  last_seen: null,
  properties: { plan: 'pro' },
  redacted: false,
})
const RUN = '/apps/app-1/analyses/run/people'

function show(
  answers: Parameters<typeof showInApp>[1]['answers'],
  pick: Pick | null = dropped,
  question: Question = funnel,
) {
  const onClose = vi.fn()
  const drawer = (
    <PeopleDrawer
      appId="app-1"
      question={question}
      pick={pick}
      onClose={onClose}
      actions={<button>存为分群</button>}
    />
  )
  return { onClose, seen: showInApp(drawer, { may: ['profile:view'], answers }) }
}

it('lists the people behind a figure, with a way to each', async () => {
  const items = [person('u/1'), person('d-1', 'device')]
  const { seen, onClose } = show({ [RUN]: ok({ total: 45, items, page: 1, page_size: 20 }) })
  const link = await screen.findByRole('link', { name: 'u/1' })
  expect(link.getAttribute('href')).toBe('/org-id/org-1/app-id/app-1/users/user/u%2F1')
  expect(screen.getByText('2. pay · 在这一步流失')).toBeShown()
  expect(screen.getByText('共 45 人')).toBeShown()
  expect(screen.getByRole('button', { name: '存为分群' })).toBeShown()
  expect(screen.getAllByText('pro')).toHaveLength(2)

  await user.click(screen.getByTitle('2'))
  const asked = { question: funnel, pick: dropped, page_size: 20 }
  expect(seen.map(({ body }) => JSON.parse(body))).toEqual([
    { ...asked, page: 1 },
    { ...asked, page: 2 },
  ])
  await user.click(screen.getByRole('button', { name: '关闭' }))
  expect(onClose).toHaveBeenCalledOnce()
})

it('asks for those of a cohort as the server calls them, and says it in words', async () => {
  const group = { values: ['out'], other: false, redacted: [false] }
  const pick: Pick = { ...dropped, group }
  const question = { ...funnel, breakdown: ['$cohort:c1'] } as Question
  const { seen } = show(
    {
      [RUN]: ok({ total: 1, items: [person('u-1')], page: 1, page_size: 20 }),
      '/apps/app-1/cohorts': ok({ items: [{ id: 'c1', name: '付费用户' }], total: 1 }),
    },
    pick,
    question,
  )
  expect(await screen.findByText('2. pay · 在这一步流失 · 不在“付费用户”中')).toBeShown()
  const [asked] = seen.filter(({ path }) => path === RUN)
  expect(JSON.parse(asked!.body)).toMatchObject({ question, pick: { group } })
})

it('asks for nobody while it is closed', () => {
  const { seen } = show({}, null)
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(seen).toEqual([])
})

it('says so where nobody is there, or the server refuses', async () => {
  show({ [RUN]: ok({ total: 0, items: [], page: 1, page_size: 20 }) })
  expect(await screen.findByText('没有符合的用户。')).toBeShown()
})

it('can be tried again', async () => {
  show({ [RUN]: refusal(503) })
  expect(await screen.findByRole('alert')).toBeShown()
})

it.each<[string, Question, Pick]>([
  [
    'view · Sun, Mar 1, 2026 · iOS',
    { kind: 'trend', ...RANGE, series: [{ events: ['view'], measure: { of: 'people' } }] },
    {
      of: 'trend',
      series: 0,
      time: FIRST,
      group: { values: ['iOS'], other: false, redacted: [false] },
    },
  ],
  ['2. pay · reached it', funnel, { ...dropped, dropped: false }],
  [
    '2. pay · dropped off before it · Not in Paying users · Not set',
    { ...funnel, breakdown: ['$cohort:c1', '$user:plan'] },
    { ...dropped, group: { values: ['out', null], other: false, redacted: [false, false] } },
  ],
  [
    '2. pay · dropped off before it · Not in Unknown cohort',
    { ...funnel, breakdown: ['$cohort:gone'] },
    { ...dropped, group: { values: ['out'], other: false, redacted: [false] } },
  ],
  [
    'Started Sun, Mar 1, 2026 · came back: Day 3',
    {
      kind: 'retention',
      ...RANGE,
      first: { events: [] },
      returning: { events: [] },
      unit: 'day',
      units: 7,
    },
    { of: 'retention', cohort: FIRST, unit: 3, group: null },
  ],
  [
    'Step 2 · a → Everything else',
    { kind: 'paths', ...RANGE, steps: 2 },
    {
      of: 'paths',
      step: 2,
      source: { kind: 'event', name: 'a', page: null },
      target: { kind: 'other', name: null, page: null },
    },
  ],
  [
    'Any event · ≥ 5',
    { kind: 'distribution', ...RANGE, event: { events: [] }, of: 'times', edges: [1, 5] },
    { of: 'distribution', bin: 1 },
  ],
  [
    'Any event · Range 2',
    { kind: 'distribution', ...RANGE, event: { events: [] }, of: 'times' },
    { of: 'distribution', bin: 1 },
  ],
  [
    'March 2026 · Dormant',
    { kind: 'lifecycle', ...RANGE, granularity: 'month' },
    { of: 'lifecycle', time: FIRST, state: 'dormant' },
  ],
])('says which figure was picked: %s', (words, question, pick) => {
  const tongue = { ...useLanguageStore.getState(), langPackage: readPack('en-US') }
  const told = pickWords(question, pick, {
    t: (key, params) => translate({ ...tongue, currentLang: 'en-US' }, key, params),
    language: 'en-US',
    cohorts: (id) => (id === 'c1' ? 'Paying users' : undefined),
    timezone: 'UTC',
  })
  expect(told).toBe(words)
})
