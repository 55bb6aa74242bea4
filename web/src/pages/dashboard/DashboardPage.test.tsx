import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { App } from '../../api/app'
import { FIGURES, type OverallPart } from '../../api/overall'
import { queryClient } from '../../api/queryClient'
import * as charts from '../../components/charts/loadEngine'
import * as files from '../../lib/saveFile'
import { rememberUser } from '../../session/session'
import { refusedRoute, anApp, user } from '../../testing/app'
import { aUser, ok, refusal, stubServer, type SeenRequest } from '../../testing/server'
import DashboardPage from './DashboardPage'

// Browser tests cover the drawing; here the library never loads.
beforeEach(() => void vi.spyOn(charts, 'loadEngine').mockReturnValue(new Promise(() => {})))

const ORG = {
  id: 'org-1',
  name: '数据平台部',
  timezone: 'Asia/Shanghai',
  permissions: ['org_app:create'],
}
const SHOP: App = { ...anApp, permissions: ['dashboard:view'] }
const figure = (value: number) => ({ value, previous: 1000, change: 0.5 })
const figures = (events: number) =>
  Object.fromEntries(
    FIGURES.map((name, index) => [name, figure(index === 0 ? events : 10 + index)]),
  )
const point = (time: number, events: number) => ({
  time,
  events,
  page_views: 1,
  active_users: 1,
  active_devices: 1,
})

const PARTS: Record<OverallPart, unknown> = {
  totals: figures(1_284_033),
  series: [
    {
      ...point(Date.parse('2026-03-01T00:00:00+08:00'), 4321),
      previous: point(Date.parse('2026-02-22T00:00:00+08:00'), 1234),
    },
  ],
  apps: [{ id: 'app-1', name: '商城', share: 0.75, ...figures(900) }],
  top_events: [
    { event: 'add_to_cart', events: 77, users: 7, other: false },
    { event: 'other', events: 23, users: 5, other: true },
  ],
  breakdowns: {
    os: [
      { value: 'HarmonyOS', events: 30, users: 3, other: false },
      { value: 'other', events: 10, users: 1, other: true },
    ],
    browser: [{ value: '', events: 5, users: 1, other: false }],
    device_type: [],
    language: [{ value: 'de', events: 5, users: 1, other: false }],
  },
  pages: {
    ready: true,
    top: [{ page: '/docs', page_views: 8, users: 2, other: false }],
    entries: [{ page: '/', visits: 3, other: false }],
    exits: [{ page: '/cart', visits: 3, other: false }],
    sites: [{ site: 'example.com', page_views: 4, users: 2, other: false }],
  },
  ingest: {
    accepted: 90,
    duplicate: 6,
    rejected: 4,
    reasons: [
      {
        reason: 'bad_time',
        name: '时间不合法',
        count: 4,
        samples: [{ at: '2026-03-01T00:00:00.000Z', sample: '{"time":"<string 12>"}' }],
      },
    ],
    over_limit: [{ limit: 'field_values', name: '取值过多', max: 1000, count: 12 }],
  },
}

interface Shown {
  search?: string
  apps?: App[]
  canExport?: boolean
  /** Replaces a part's answer. */
  instead?: Partial<Record<OverallPart, () => Response | Promise<Response>>>
}

let seen: SeenRequest[]

function show({ search = '?org=org-1', apps = [SHOP], canExport = true, instead = {} }: Shown) {
  rememberUser(aUser)
  seen = stubServer({
    '/orgs/org-1': ok(ORG),
    '/orgs/org-1/apps': ok({ items: apps, total: apps.length }),
    '/orgs/org-1/data-overall': () => {
      const asked = JSON.parse(seen.at(-1)!.body) as { parts: [OverallPart]; granularity: string }
      const [part] = asked.parts
      if (instead[part]) return instead[part]()
      return Response.json({
        data: {
          range: { start: '', end: '', timezone: 'Asia/Shanghai', granularity: asked.granularity },
          apps_seen: [{ id: 'app-1', name: '商城' }],
          can_export: canExport,
          [part]: PARTS[part],
        },
      })
    },
    '/orgs/org-1/data-overall/export': () => new Response('\ufeff事件,次数'),
  })
  const router = createMemoryRouter([refusedRoute, { path: '*', element: <DashboardPage /> }], {
    initialEntries: [`/data-dashboard${search}`],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return router
}

/** Finding by role takes seconds on a page this large; finding the heading is instant. */
async function card(title: string): Promise<HTMLElement> {
  const heading = await screen.findByText(title, { selector: 'h2' })
  return heading.closest('section')!
}
async function cardWith(title: string, text: string): Promise<string> {
  const found = await card(title)
  await within(found).findByText(text)
  return found.textContent
}
const csvOfTop = () => screen.findByLabelText('导出“热门事件”（CSV）')
const asked = (part: OverallPart) =>
  seen
    .filter(({ path }) => path.endsWith('/data-overall'))
    .map(({ body }) => JSON.parse(body) as { parts: string[]; [name: string]: unknown })
    .filter(({ parts }) => parts[0] === part)

describe('the board', () => {
  it('shows every part', async () => {
    show({})
    await cardWith('事件数', '1,284,033')
    expect(await cardWith('事件数趋势', '4,321')).toContain('1,234')
    const link = await screen.findByText('商城', { selector: 'a' })
    expect(link.getAttribute('href')).toBe('/org-id/org-1/app-id/app-1?range=7d')
    expect(link.closest('tr')!.textContent).toContain('75%')
    expect(await cardWith('热门事件', 'add_to_cart')).toMatch(/77777%其他（超出名称上限）23523%/)
    expect(await cardWith('操作系统', 'HarmonyOS')).toMatch(/HarmonyOS30375%其他10125%/)
    await cardWith('浏览器', '未上报')
    await cardWith('语言', '德语')
    const ingest = await cardWith('数据接收', '时间不合法')
    expect(ingest).toMatch(/已接收9090%重复66%已拒绝44%/)
    expect(ingest).toContain('"time": "<string 12>"')
    expect(ingest).toContain('取值过多12')
  })

  it('leads from every figure to its question, over the same days', async () => {
    const apps: App[] = [{ ...SHOP, permissions: ['dashboard:view', 'query:run'] }]
    show({ apps, search: '?org=org-1&range=2026-03-01..2026-03-07&granularity=hour' })
    const lead = async (text: string, within?: string) =>
      (await screen.findAllByText(text))
        .map((found) => found.closest('a'))
        .find((link) => link && (!within || link.closest(within)))
        ?.getAttribute('href')
    const trend = (q: object) => {
      const query = new URLSearchParams({ q: JSON.stringify(q), range: '2026-03-01..2026-03-07' })
      return `/org-id/org-1/app-id/app-1/analyses/trend?${query.toString()}`
    }
    const any = { s: [[]], g: 'hour' }
    expect(await lead('1,284,033')).toBe(trend(any))
    expect(await lead('add_to_cart')).toBe(trend({ s: [['add_to_cart']], g: 'hour' }))
    const where = (test: string[]) => trend({ s: [[]], f: { a: [test] }, g: 'hour' })
    expect(await lead('HarmonyOS')).toBe(where(['$os', 'is', 'HarmonyOS']))
    expect(await lead('未上报')).toBe(where(['$browser', 'not_set']))
    expect(await lead('900', 'tr')).toBe(trend(any))
    // Active users, and figures only the board has.
    const people = { s: [{ e: [], m: 'people' }], g: 'hour' }
    expect(await lead('12', 'section')).toBe(trend(people))
    expect((await screen.findAllByText('15')).some((found) => found.closest('a'))).toBe(false)
  })

  it('asks in which of several apps', async () => {
    const permissions: App['permissions'] = ['dashboard:view', 'query:run']
    const apps = [
      { ...SHOP, permissions },
      { ...SHOP, id: 'app-2', name: '官网', permissions },
    ]
    show({ apps })
    await user.click(await screen.findByText('add_to_cart'))
    const link = await screen.findByText('官网', { selector: 'a' })
    expect(link.getAttribute('href')).toBe(
      '/org-id/org-1/app-id/app-2/analyses/trend?q=%7B%22s%22%3A%5B%5B%22add_to_cart%22%5D%5D%7D&range=7d',
    )
  })

  it('leads nowhere for those who may not ask', async () => {
    show({})
    expect((await screen.findByText('add_to_cart')).closest('a, button')).toBeNull()
  })

  it('asks for each part by itself, so that a slow one holds up nothing', async () => {
    show({ instead: { totals: () => new Promise(() => {}), apps: () => new Promise(() => {}) } })
    await cardWith('热门事件', 'add_to_cart')
    await cardWith('事件数', '加载中')
    for (const { body } of seen.filter(({ path }) => path.endsWith('/data-overall'))) {
      expect((JSON.parse(body) as { parts: string[] }).parts).toHaveLength(1)
    }
  })

  it('lets one part fail with a retry of its own', async () => {
    const answers = [refusal(503, { message: '数据服务暂时不可用', errors: [] })]
    show({
      instead: {
        top_events: () =>
          answers.pop()?.() ??
          ok({ apps_seen: [], can_export: false, top_events: PARTS.top_events })(),
      },
    })
    const top = within(await card('热门事件'))
    expect((await top.findByRole('alert')).textContent).toContain('数据服务暂时不可用')
    await cardWith('操作系统', 'HarmonyOS')
    await user.click(top.getByRole('button', { name: /重\s?试/ }))
    expect(await top.findByText('add_to_cart')).toBeShown()
  })

  it('asks what the address says', async () => {
    show({
      search:
        '?org=org-1&range=2026-03-01..2026-03-07&granularity=hour&compare=previous_year&apps=app-1&zone=Europe/Berlin&metric=page_views',
    })
    await waitFor(() =>
      expect(asked('series').at(-1)).toEqual({
        parts: ['series'],
        start: '2026-03-01',
        end: '2026-03-07',
        granularity: 'hour',
        compare: 'previous_year',
        app_ids: ['app-1'],
        timezone: 'Europe/Berlin',
      }),
    )
    await card('浏览量趋势')
  })

  it('puts what is chosen into the address', async () => {
    const router = show({})
    await user.click(await screen.findByLabelText('活跃用户', { selector: 'input' }))
    await user.click(screen.getByLabelText('按小时'))
    expect(router.state.location.search).toBe('?org=org-1&metric=active_users&granularity=hour')
    await waitFor(() => expect(asked('series').at(-1)!.granularity).toBe('hour'))
    // Parts that don't depend on granularity aren't requested again.
    expect(asked('top_events')).toHaveLength(1)
  })
})

describe('a time that is not over', () => {
  const NOW = Date.parse('2026-03-02T10:00:00+08:00')
  const range = { start: '', end: '', timezone: 'Asia/Shanghai', granularity: 'day', partial: true }
  const answer = (part: OverallPart, content: unknown, until: number | null) =>
    ok({
      range: { ...range, compared_until: until },
      apps_seen: [],
      can_export: false,
      [part]: content,
    })

  it('says up to when it is compared, and what of its course is so far', async () => {
    const day = (at: string) => Date.parse(`2026-03-${at}T00:00:00+08:00`)
    const series = [
      { ...point(day('01'), 4321), partial: false, previous: null },
      { ...point(day('02'), 99), partial: true, previous: null },
      { time: day('03'), partial: false, events: null, previous: null },
    ]
    show({
      instead: {
        totals: answer('totals', PARTS.totals, NOW),
        series: answer('series', series, NOW),
      },
    })
    await screen.findByText(/同样截至 10:00 的部分/)
    const trend = await cardWith('事件数趋势', '4,321')
    expect(trend).toContain('2026年3月2日周一 · 截至目前99')
    expect(trend).toContain('2026年3月3日周二—')
  })

  it('says so where it is too early to compare', async () => {
    const early = Object.fromEntries(FIGURES.map((name) => [name, { value: 2 }]))
    show({ instead: { totals: answer('totals', early, null) } })
    await screen.findByText('所选时间还没结束，数字截至目前。')
    expect(await cardWith('事件数', '2')).toContain('时间太短，暂不对比')
  })
})

describe('exports', () => {
  it('are written by the server, of the table and of what is on screen', async () => {
    const saveFile = vi.spyOn(files, 'saveFile').mockReturnValue()
    show({ search: '?org=org-1&range=2026-03-01..2026-03-07' })
    await user.click(await csvOfTop())
    await waitFor(() => expect(saveFile).toHaveBeenCalledOnce())
    const [name, file] = saveFile.mock.lastCall!
    expect(name).toBe('atrium-top_events-2026-03-01_2026-03-07.csv')
    // With the mark by which spreadsheets know the encoding.
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await file.arrayBuffer())
    expect(text).toBe('\ufeff事件,次数')
    const { body } = seen.find(({ path }) => path.endsWith('/export'))!
    expect(JSON.parse(body)).toMatchObject({ table: 'top_events', start: '2026-03-01' })
  })

  it('are not offered to those who may not', async () => {
    show({ canExport: false })
    await cardWith('热门事件', 'add_to_cart')
    await screen.findByText('商城', { selector: 'a' })
    expect(screen.queryByLabelText(/^导出/)).toBeNull()
  })
})

describe('the faces of the board', () => {
  it('offers an app to a team without one', async () => {
    show({ apps: [] })
    await user.click(await screen.findByText('新建应用'))
    expect(await screen.findByRole('dialog')).toBeShown()
  })

  it('is closed to those who may see no app’s figures', async () => {
    show({ apps: [{ ...SHOP, permissions: ['app:view'] }] })
    expect(await screen.findByText(/^refused: \/data-dashboard/)).toBeShown()
  })

  it('leads to the quick start where nothing has happened', async () => {
    const empty = { ...point(1, 0), page_views: 0, active_users: 0, active_devices: 0 }
    show({
      instead: {
        series: ok({
          range: { timezone: 'UTC', granularity: 'day' },
          apps_seen: [],
          can_export: true,
          series: [{ ...empty, previous: null }],
        }),
      },
    })
    const way = await screen.findByText('接入“商城”')
    expect(way.getAttribute('href')).toBe('/org-id/org-1/app-id/app-1/quick-start')
  })
})
