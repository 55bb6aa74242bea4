import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { Engagement } from '../../../api/engagement'
import type { ChartSeries } from '../../../components/charts/series'
import { bindNavigator } from '../../../lib/navigation'
import { showInApp, user } from '../../../testing/app'
import { ok, refusal, type SeenRequest } from '../../../testing/server'
import OverviewPage from './OverviewPage'

interface DrawnChart {
  series: ChartSeries[]
  ariaLabel: string
  onPoint?: { does: (index: number) => void }
}

// Drawing is the chart's own business; here it is which lines it is given.
vi.mock('../../../components/charts/LineChart', async (original) => ({
  ...(await original<object>()),
  LineChart: ({ series, ariaLabel, onPoint }: DrawnChart) => (
    <ul aria-label={ariaLabel} onClick={() => onPoint?.does(1)}>
      {series.map(({ key, name, values }) => (
        <li key={key}>
          {name}: {values.join(' ')}
        </li>
      ))}
    </ul>
  ),
}))

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
  ],
  stickiness: 0.1371,
  today: { dau: 12, wau: 31, mau: 81 },
  retention: {
    cohorts: [cohort(1, 4, [2, 1]), cohort(2, 7, []), cohort(3, 0, [0, 0, 0])],
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

describe('the overview of an app', () => {
  it('asks for each part by itself, of this app alone and by its own clock', async () => {
    const seen = show()
    await waitFor(() => expect(bodies(seen).length).toBeGreaterThanOrEqual(5))
    for (const body of bodies(seen)) {
      expect(body).toMatchObject({ app_ids: ['app-1'], timezone: 'Asia/Shanghai' })
    }
    expect(bodies(seen).flatMap(({ parts }) => parts)).toEqual(
      expect.arrayContaining(['totals', 'series', 'top_events', 'breakdowns', 'ingest']),
    )
    const asked = seen.find(({ path }) => path.endsWith('/engagement'))!
    expect(Object.fromEntries(new URLSearchParams(asked.query))).toEqual({
      start: '2026-10-01',
      end: '2026-10-02',
      timezone: 'Asia/Shanghai',
    })
  })

  it('says who comes, though all other parts fail', async () => {
    show()
    expect(await screen.findByText('13.7%')).toBeDefined()
    expect(screen.queryByRole('region', { name: '还没有收到数据' })).toBeNull()
    const active = card('用户活跃度')
    expect(active.getByText('81')).toBeDefined()
    const lines = active.getByRole('list', { name: '用户活跃度' })
    expect(
      within(lines)
        .getAllByRole('listitem')
        .map((line) => line.textContent),
    ).toEqual(['日活: 10 12', '周活: 30 31', '月活: 80 81'])
    const fresh = card('新用户与老用户')
    expect(fresh.getByText('11')).toBeDefined()
    expect(fresh.getByText('50%')).toBeDefined()
    // Every part that failed says so in its own place.
    expect(screen.getAllByRole('alert').length).toBeGreaterThanOrEqual(5)
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
      '/org-id/org-1/app-id/app-1/explore?measure=users&range=2026-10-02..2026-10-02',
    )
  })

  it('shows who came back, and says of days that are not over that they are not', async () => {
    show()
    const table = within(await screen.findByRole('table', { name: '每日新用户的留存' }))
    expect(table.getAllByRole('row').map((row) => row.textContent)).toEqual([
      '首次使用人数次日留存7 日留存30 日留存',
      '10月2日7———',
      '10月1日450% 225% 1—',
    ])
    expect(table.getAllByTitle('这一天还没过完')).toHaveLength(4)
    const shaded = table.getByText(/^50%/)
    expect(shaded.style.getPropertyValue('--share')).toBe('0.5')
  })

  it('shows the newest two weeks of cohorts first, and all when asked', async () => {
    const cohorts = Array.from({ length: 20 }, (_, index) => cohort(index + 1, 5, [1]))
    show({
      '/apps/app-1/engagement': ok({
        ...engagement,
        retention: { ...engagement.retention, cohorts },
      }),
    })
    const table = within(await screen.findByRole('table', { name: '每日新用户的留存' }))
    expect(table.getAllByRole('row')).toHaveLength(15)
    await user.click(screen.getByRole('button', { name: '显示全部 20 天' }))
    expect(table.getAllByRole('row')).toHaveLength(21)
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
    expect(await screen.findByText('数据入库有延迟：最早一条已等待 3 分钟。')).toBeDefined()
  })

  it('says that a long range is cut', async () => {
    const seen = show({}, '2026-01-01..2026-10-02')
    expect(await screen.findAllByText(/最多统计 180 天/)).toHaveLength(3)
    expect(seen.find(({ path }) => path.endsWith('/engagement'))!.query).toContain(
      'start=2026-04-06',
    )
  })
})
