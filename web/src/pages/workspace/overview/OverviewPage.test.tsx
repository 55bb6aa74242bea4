import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Engagement } from '../../../api/engagement'
import { addDays } from '../../../components/range/range'
import { bindNavigator } from '../../../lib/navigation'
import { showInApp, spaced, user } from '../../../testing/app'
import { listLines } from '../../../testing/lines'
import { ok, refusal, type SeenRequest } from '../../../testing/server'
import OverviewPage from './OverviewPage'

// Drawing is tested with the chart; here, only which lines it gets.
beforeEach(listLines)

const cohort = (day: number, size: number, back: (number | null)[]) => ({
  date: `2026-10-${String(day).padStart(2, '0')}`,
  size,
  day1: back[0] ?? null,
  day7: back[1] ?? null,
  day30: back[2] ?? null,
})

const engagement: Engagement = {
  days: [
    { date: '2026-10-01', dau: 10, wau: 30, mau: 80, new_users: 4, returning_users: 6 },
    { date: '2026-10-02', dau: 12, wau: 31, mau: 81, new_users: 7, returning_users: 5 },
  ].map((day, index) => ({ ...day, partial: index === 1 })),
  stickiness: 0.1371,
  last_whole_day: { date: '2026-10-01', dau: 10, wau: 30, mau: 80 },
  so_far: { date: '2026-10-02', dau: 12, wau: 31, mau: 81 },
  today: { dau: 12, wau: 31, mau: 81 },
  retention: {
    // The first two are in one week, the others in the next.
    cohorts: [
      cohort(3, 4, [2, 1]),
      cohort(4, 0, [0, 0, 0]),
      cohort(5, 6, [3, 3]),
      cohort(6, 2, [1]),
    ],
    day1: 0.5,
    day7: 0.25,
    day30: null,
  },
}

const show = (
  answers: Parameters<typeof showInApp>[1]['answers'] = {},
  range = '2026-10-01..2026-10-02',
) =>
  showInApp(<OverviewPage />, {
    may: ['app:view', 'dashboard:view'],
    search: `?range=${range}`,
    answers: {
      '/apps/app-1/engagement': ok(engagement),
      '/orgs/org-1/data-overall': refusal(503),
      '/apps/app-1/ingest': ok({ last_event_at: '2026-10-02T00:00:00.000Z' }),
      ...answers,
    },
  })

const card = (name: string) => within(screen.getByRole('region', { name }))
const bodies = (seen: SeenRequest[]) =>
  seen
    .filter(({ path }) => path === '/orgs/org-1/data-overall')
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)

// People who did anything, as a URL query.
const PEOPLE = new URLSearchParams({
  q: JSON.stringify({ s: [{ e: [], m: 'people' }] }),
}).toString()

describe('the overview of an app', () => {
  it('asks for each part by itself, of this app alone and by its own clock', async () => {
    const seen = show()
    await waitFor(() => expect(bodies(seen).length).toBeGreaterThanOrEqual(5))
    for (const body of bodies(seen)) {
      expect(body).toMatchObject({ app_ids: ['app-1'], timezone: 'Asia/Shanghai' })
    }
    expect(bodies(seen).flatMap(({ parts }) => parts)).toEqual(
      expect.arrayContaining(['totals', 'series', 'top_events', 'breakdowns', 'pages', 'ingest']),
    )
    const asked = seen.find(({ path }) => path.endsWith('/engagement'))!
    expect(Object.fromEntries(new URLSearchParams(asked.query))).toEqual({
      start: '2026-10-01',
      end: '2026-10-02',
      timezone: 'Asia/Shanghai',
      cohorts_from: expect.stringMatching(/^2026-\d\d-\d\d$/) as string,
    })
  })

  it('says who comes, though all other parts fail', async () => {
    show()
    expect(await screen.findByText('13.7%')).toBeShown()
    expect(screen.queryByRole('region', { name: '还没有收到数据' })).toBeNull()
    const active = card('用户活跃度')
    // For the last full day, with today beside it.
    expect(active.getByText('10月1日 的数据（最近一个完整的日子）')).toBeShown()
    expect(active.getByText('80').textContent).toBe('80今天截至目前 81')
    const lines = active.getByRole('list', { name: '用户活跃度' })
    expect(lines.dataset.partial).toBe(String(Date.parse('2026-10-02T00:00:00+08:00')))
    expect(
      within(lines)
        .getAllByRole('listitem')
        .map((line) => line.textContent),
    ).toEqual(['日活: 10 12', '周活: 30 31', '月活: 80 81'])
    const fresh = card('新用户与老用户')
    expect(fresh.getByText('11')).toBeShown()
    expect(fresh.getByText('50%')).toBeShown()
    // Each failed part says so, and the page has a single retry.
    expect(screen.getAllByText('没有加载出来').length).toBeGreaterThanOrEqual(5)
    expect(screen.getAllByRole('alert')).toHaveLength(1)
    expect(screen.getAllByRole('button', { name: spaced('重试') })).toHaveLength(1)
  })

  it('leads from a day to who came on it', async () => {
    const navigate = vi.fn()
    bindNavigator(navigate)
    showInApp(<OverviewPage />, {
      may: ['app:view', 'dashboard:view', 'query:run'],
      search: '?range=2026-10-01..2026-10-02',
      answers: { '/apps/app-1/engagement': ok(engagement) },
    })
    await user.click(await screen.findByRole('list', { name: '用户活跃度' }))
    expect(navigate.mock.lastCall![0]).toBe(
      `/org-id/org-1/app-id/app-1/analyses/trend?${PEOPLE}&range=2026-10-02..2026-10-02`,
    )
  })

  it('leads from the people of a day, a week and a month to the question behind each', async () => {
    showInApp(<OverviewPage />, {
      may: ['app:view', 'dashboard:view', 'query:run'],
      search: '?range=2026-10-01..2026-10-02',
      answers: { '/apps/app-1/engagement': ok(engagement) },
    })
    await screen.findByText('13.7%')
    const active = card('用户活跃度')
    const days = (figure: string) =>
      active.getByRole('link', { name: figure }).getAttribute('href')!.split('trend?')[1]
    expect(days('10')).toBe(`${PEOPLE}&range=2026-10-01..2026-10-01`)
    expect(days('30')).toBe(`${PEOPLE}&range=2026-09-25..2026-10-01`)
    expect(days('80')).toBe(`${PEOPLE}&range=2026-09-02..2026-10-01`)
  })

  it('shows who came back, week by week, without a column that nobody has a value for', async () => {
    show()
    const table = within(await screen.findByRole('table', { name: '每周新用户的留存' }))
    expect(table.getAllByRole('row').map((row) => row.textContent)).toEqual([
      '首次使用人数次日留存7 日留存',
      '10/5 – 10/6850% 450% 截至目前',
      '10/3 – 10/4450% 225% 1',
    ])
    expect(screen.queryByText('30 日留存')).toBeNull()
    expect(table.getByTitle('只统计已过完这一天的 6 人').dataset.partial).toBe('true')
    const shaded = table.getByText(/^25%/)
    expect(shaded.style.getPropertyValue('--share')).toBe('0.25')
  })

  it('has a column of the 30th day as soon as that is over for somebody', async () => {
    const cohorts = [cohort(1, 8, [4, 2, 1]), cohort(9, 5, [1])]
    const retention = { cohorts, day1: 0.5, day7: 0.25, day30: 0.125 }
    show({ '/apps/app-1/engagement': ok({ ...engagement, retention }) })
    const table = within(await screen.findByRole('table', { name: '每周新用户的留存' }))
    expect(table.getAllByRole('row').map((row) => row.textContent)).toEqual([
      '首次使用人数次日留存7 日留存30 日留存',
      '10月9日520% 1——',
      '10月1日850% 425% 212.5% 1',
    ])
    expect(table.getAllByTitle('这些天还没过完')).toHaveLength(2)
  })

  it('shows the newest weeks first, and all when asked', async () => {
    const cohorts = Array.from({ length: 12 }, (_, week) => ({
      ...cohort(1, 5, [1]),
      date: addDays('2026-07-06', 7 * week),
    }))
    const retention = { ...engagement.retention, cohorts }
    show({ '/apps/app-1/engagement': ok({ ...engagement, retention }) })
    const table = within(await screen.findByRole('table', { name: '每周新用户的留存' }))
    expect(table.getAllByRole('row')).toHaveLength(11)
    await user.click(screen.getByRole('button', { name: '显示全部 12 周' }))
    expect(table.getAllByRole('row')).toHaveLength(13)
  })

  it('leads an app without any data to the quick start', async () => {
    show({ '/apps/app-1/ingest': ok({ last_event_at: null }) })
    const callout = within(await screen.findByRole('region', { name: '还没有收到数据' }))
    expect(callout.getByRole('link').getAttribute('href')).toBe(
      '/org-id/org-1/app-id/app-1/quick-start',
    )
  })

  it('says when the latest events are still on their way', async () => {
    const ingest = {
      accepted: 1,
      duplicate: 0,
      rejected: 0,
      reasons: [],
      over_limit: [],
      delay_seconds: 200,
    }
    const seen: SeenRequest[] = show({
      '/orgs/org-1/data-overall': () =>
        JSON.stringify(bodies(seen).at(-1)?.parts) === '["ingest"]'
          ? ok({ ingest, can_export: false })()
          : refusal(503)(),
    })
    expect(await screen.findByText('数据入库有延迟：最早一条已等待 3 分钟。')).toBeShown()
  })

  it('says that a long range is cut', async () => {
    const seen = show({}, '2026-01-01..2026-10-02')
    expect(await screen.findAllByText(/最多统计 180 天/)).toHaveLength(3)
    expect(seen.find(({ path }) => path.endsWith('/engagement'))!.query).toContain(
      'start=2026-04-06',
    )
  })
})
