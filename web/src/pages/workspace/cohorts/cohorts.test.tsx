import { QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Cohort } from '../../../api/analyses'
import type { CohortDefinition } from '../../../api/analysisTypes'
import { queryClient } from '../../../api/queryClient'
import * as charts from '../../../components/charts/loadEngine'
import { addDays } from '../../../components/range/range'
import { bindNavigator } from '../../../lib/navigation'
import { dayAt } from '../../../lib/zonedDay'
import { AppContext } from '../../../session/app'
import { accessTo, type AppPermission } from '../../../session/access'
import { rememberUser } from '../../../session/session'
import { anApp, spaced, user } from '../../../testing/app'
import { anEngine, drawnSeries } from '../../../testing/chart'
import { aUser, ok, refusal, stubServer } from '../../../testing/server'
import CohortPage from './CohortPage'
import CohortsPage from './CohortsPage'

beforeEach(() => void vi.spyOn(charts, 'loadEngine').mockResolvedValue(anEngine()))

const ASKS: AppPermission[] = ['app:view', 'query:run']
const SHARES: AppPermission[] = [...ASKS, 'cohort:manage']
const SEES: AppPermission[] = [...ASKS, 'profile:view']
const LIST = '/apps/app-1/cohorts'
const ONE = `${LIST}/c-1`

const cohort: Cohort = {
  id: 'c-1',
  name: '付费用户',
  description: '买过东西的人',
  shared: true,
  definition: { of: 'ids', ids: ['u-1', 'u-2'] },
  created_by: { id: 'x', name: '林小雨' },
  created_at: aUser.created_at,
  updated_at: new Date().toISOString(),
  version: 3,
  may_change: true,
  mine: true,
  redacted: false,
}
const size = {
  [`${ONE}/size`]: ok({ people: 1234, computed_at: aUser.created_at }),
  [`${ONE}/sizes`]: ok({ sizes: [] }),
}
const listed = (...items: Cohort[]) => ({ [LIST]: ok({ items, total: items.length }), ...size })

type Answers = Parameters<typeof stubServer>[0]

function show(at: string, may: AppPermission[], answers: Answers) {
  rememberUser(aUser)
  const seen = stubServer(answers)
  const open = { app: anApp, ...accessTo(anApp, may) }
  const page = (element: React.ReactNode) => <AppContext value={open}>{element}</AppContext>
  const base = '/org-id/:orgId/app-id/:appId'
  const router = createMemoryRouter(
    [
      { path: `${base}/cohorts`, element: page(<CohortsPage />) },
      { path: `${base}/cohorts/:cohortId`, element: page(<CohortPage />) },
    ],
    { initialEntries: [`/org-id/org-1/app-id/app-1${at}`] },
  )
  bindNavigator((to) => void router.navigate(to))
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  const sent = (method: string) =>
    seen
      .filter((request) => request.method === method)
      .map(({ path, body }) => ({ path, body: body && JSON.parse(body) }))
  return { seen, sent, router }
}

const save = () => user.click(screen.getByRole('button', { name: spaced('保存') }))
const type = (label: string, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } })

describe('the list', () => {
  it('says what each is, how many are in it, and whose it is', async () => {
    show('/cohorts', ASKS, listed(cohort))
    const row = await screen.findByRole('row', { name: /付费用户/ })
    const link = within(row).getByRole('link', { name: '付费用户' })
    expect(link.getAttribute('href')).toBe('/org-id/org-1/app-id/app-1/cohorts/c-1')
    for (const text of ['买过东西的人', 'ID 名单', '应用成员', '林小雨']) {
      expect(within(row).getByText(text)).toBeShown()
    }
    expect(await within(row).findByText('1,234')).toBeShown()
  })

  it('is there although a size is not, which can be asked for again', async () => {
    show('/cohorts', ASKS, { ...listed(cohort), [`${ONE}/size`]: refusal(503) })
    const row = await screen.findByRole('row', { name: /付费用户/ })
    expect(await within(row).findByRole('button', { name: spaced('重试') })).toBeShown()
  })

  it('says why a size is not told', async () => {
    const errors = [{ error: '涉及个人信息', code: 'personal_data' }]
    const refused = refusal(422, { message: '', errors })
    show('/cohorts', ASKS, { ...listed(cohort), [`${ONE}/size`]: refused })
    expect(await screen.findByTitle('涉及个人信息')).toBeShown()
    expect(screen.queryByRole('button', { name: spaced('重试') })).toBeNull()
  })

  it('can be narrowed down to one’s own', async () => {
    const mine = { ...cohort, id: 'c-2', name: '我的分群', mine: true }
    show('/cohorts?whose=mine', ASKS, {
      ...listed({ ...cohort, mine: false }, mine),
      '/apps/app-1/cohorts/c-2/size': refusal(503),
    })
    expect(await screen.findByRole('link', { name: '我的分群' })).toBeShown()
    expect(screen.queryByRole('link', { name: '付费用户' })).toBeNull()
  })

  it('says what fills it', async () => {
    show('/cohorts', ASKS, listed())
    expect(await screen.findByRole('heading', { name: '还没有分群' })).toBeShown()
    expect(screen.getByRole('button', { name: '新建分群' })).toBeShown()
  })

  it('changes one with the ids that it leaves out itself', async () => {
    const brief: Cohort = { ...cohort, definition: { of: 'ids', ids: [], count: 2 } }
    const { sent } = show('/cohorts', ASKS, {
      ...listed(brief),
      [ONE]: ok({ ...cohort, definition: { of: 'ids', ids: ['u-1', 'u-2'], count: 2 } }),
      [`PUT ${ONE}`]: ok(cohort),
    })
    await user.click(await screen.findByRole('button', { name: /付费用户/ }))
    await user.click(await screen.findByRole('menuitem', { name: '编辑分群' }))
    expect(await screen.findByText('已识别 2 个 ID，最多 10,000 个')).toBeShown()
    await save()
    const definition = { of: 'ids', ids: ['u-1', 'u-2'] }
    await waitFor(() => expect(sent('PUT')).toMatchObject([{ body: { definition } }]))
  })

  it('deletes one after asking', async () => {
    const { sent } = show('/cohorts', ASKS, { ...listed(cohort), [`DELETE ${ONE}`]: ok({}) })
    await user.click(await screen.findByRole('button', { name: /付费用户/ }))
    await user.click(await screen.findByRole('menuitem', { name: '删除分群' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/所有人都将无法再使用它/)).toBeShown()
    expect(sent('DELETE')).toEqual([])
    await user.click(dialog.getByRole('button', { name: '删除分群' }))
    await waitFor(() => expect(sent('DELETE')).toEqual([{ path: ONE, body: '' }]))
  })

  it('offers no change of one that is not theirs to change', async () => {
    show('/cohorts', ASKS, listed({ ...cohort, may_change: false }))
    await user.click(await screen.findByRole('button', { name: /付费用户/ }))
    expect(await screen.findByRole('menuitem', { name: '分析这群用户' })).toBeShown()
    expect(screen.queryByRole('menuitem', { name: '删除分群' })).toBeNull()
  })
})

describe('a new one', () => {
  async function open(may: AppPermission[], answers: Answers = {}) {
    const shown = show('/cohorts', may, {
      ...listed(),
      [`POST ${LIST}`]: ok(cohort),
      [ONE]: ok(cohort),
      [`${ONE}/people`]: ok({ items: [], total: 0, page: 1, page_size: 20 }),
      ...size,
      ...answers,
    })
    await user.click(await screen.findByRole('button', { name: '新建分群' }))
    await screen.findByRole('dialog')
    return shown
  }
  const kept = (definition: CohortDefinition, shared = false) => ({
    path: LIST,
    body: { name: '名单', description: null, shared, definition },
  })

  it('holds the ids that were pasted, and says how many those are', async () => {
    const { sent, router } = await open(ASKS)
    type('名称', '名单')
    await user.click(screen.getByRole('radio', { name: 'ID 名单' }))
    await save()
    expect((await screen.findByRole('alert')).textContent).toContain('至少一个 ID')
    type('用户 ID（没有用户 ID 的填设备 ID）', 'u-1\nu-2,林\nu-1')
    expect(screen.getByText('已识别 2 个 ID，最多 10,000 个')).toBeShown()
    await save()
    await waitFor(() => expect(sent('POST')).toEqual([kept({ of: 'ids', ids: ['u-1', 'u-2'] })]))
    // Its creator wants to see it.
    await waitFor(() => expect(router.state.location.pathname).toMatch(/cohorts\/c-1$/))
  })

  it('takes the ids of a file', async () => {
    await open(ASKS)
    await user.click(screen.getByRole('radio', { name: 'ID 名单' }))
    const file = new File(['user_id,name\nu-1,a\nu-2,b'], 'ids.csv', { type: 'text/csv' })
    const input = screen.getByLabelText('上传 CSV 或文本文件', { selector: 'input' })
    fireEvent.change(input, { target: { files: [file] } })
    expect(await screen.findByText('已识别 2 个 ID，最多 10,000 个')).toBeShown()
  })

  it('holds who meets rules', async () => {
    const { sent } = await open(SHARES)
    type('名称', '名单')
    type('第 1 条规则：最近多少天', '0')
    await user.click(screen.getByRole('button', { name: '添加属性规则' }))
    await save()
    expect((await screen.findByRole('alert')).textContent).toContain('请把属性规则填写完整')
    type('第 2 条规则的属性名', 'plan')
    const values = screen.getByRole('combobox', { name: '第 2 条规则的值' })
    await user.type(values, 'pro{Enter}')
    await save()
    expect(screen.getByRole('alert').textContent).toContain('天数应为 1 到 365')
    type('第 1 条规则：最近多少天', '7')
    await user.click(screen.getByRole('radio', { name: '满足任一规则' }))
    await user.click(screen.getByRole('radio', { name: '应用成员' }))
    await save()
    const any = [
      { is: 'did' as const, event: { events: [] }, not: false, times: 1, days: 7 },
      {
        is: 'profile' as const,
        property: '$user:plan',
        operator: 'is' as const,
        values: ['pro'],
      },
    ]
    await waitFor(() => expect(sent('POST')).toEqual([kept({ of: 'rule', any }, true)]))
  })

  it('is for oneself alone without the permission to share', async () => {
    await open(ASKS)
    expect(screen.queryByRole('radio', { name: '应用成员' })).toBeNull()
    expect(screen.getByText(/需要“管理共享分群”权限/)).toBeShown()
  })

  it('says what the server has against it', async () => {
    await open(ASKS, {
      [`POST ${LIST}`]: refusal(422, {
        message: '',
        errors: [{ error: '名称已被使用', code: 'taken', field: 'name' }],
      }),
    })
    type('名称', '名单')
    await save()
    expect(await screen.findByText('名称已被使用')).toBeShown()
  })
})

describe('one of them', () => {
  const people = ok({
    items: [
      {
        kind: 'user',
        id: 'u-1',
        ref: 'u-1',
        first_seen: null,
        last_seen: null,
        properties: {},
        redacted: false,
      },
    ],
    total: 1,
    page: 1,
    page_size: 20,
  })
  const answers = { [ONE]: ok(cohort), [`${ONE}/people`]: people, ...size }

  it('shows who is in it, and leads to them and to what they do', async () => {
    show('/cohorts/c-1', SEES, answers)
    expect(await screen.findByRole('heading', { name: '付费用户' })).toBeShown()
    expect(screen.getByText('名单中的 ID：2 个')).toBeShown()
    const person = await screen.findByRole('link', { name: 'u-1' })
    expect(person.getAttribute('href')).toContain('/users/user/u-1')
    const trend = screen.getByRole('link', { name: '分析这群用户' }).getAttribute('href')!
    expect(trend).toContain('/analyses/trend?')
    expect(decodeURIComponent(trend)).toContain('$cohort:c-1')
  })

  it('says of which cohort the people of a figure were', async () => {
    const definition: CohortDefinition = {
      of: 'figure',
      question: {
        kind: 'trend',
        series: [{ events: ['order'], measure: { of: 'people' } }],
        breakdown: ['$cohort:c-2'],
        start: '2026-11-01',
        end: '2026-11-07',
      },
      pick: {
        of: 'trend',
        series: 0,
        time: null,
        group: { values: ['out'], other: false, redacted: [false] },
      },
    }
    show('/cohorts/c-1', ASKS, {
      ...answers,
      ...listed({ ...cohort, id: 'c-2', name: '老客' }),
      [ONE]: ok({ ...cohort, definition }),
    })
    expect(await screen.findByText('order · 不在“老客”中')).toBeShown()
  })

  it('keeps its people from those who may not see any', async () => {
    const { seen } = show('/cohorts/c-1', ASKS, answers)
    expect(await screen.findByText(/需要“查看用户与设备”权限/)).toBeShown()
    expect(seen.some(({ path }) => path.endsWith('/people'))).toBe(false)
  })

  it('is changed as the version that was read', async () => {
    const { sent } = show('/cohorts/c-1', SEES, { ...answers, [`PUT ${ONE}`]: ok(cohort) })
    await user.click(await screen.findByRole('button', { name: '编辑分群' }))
    await screen.findByRole('dialog')
    type('名称', '老客')
    await save()
    await waitFor(() => expect(sent('PUT')).toHaveLength(1))
    expect(sent('PUT')[0]!.body).toEqual({
      name: '老客',
      description: '买过东西的人',
      shared: true,
      definition: cohort.definition,
      version: 3,
    })
  })

  it('gets another name from somebody who may not see whom it is about', async () => {
    const definition = { of: 'ids' as const, ids: [], count: 2 }
    const hidden = { ...cohort, redacted: true, definition }
    const { sent } = show('/cohorts/c-1', SHARES, {
      [ONE]: ok(hidden),
      ...size,
      [`PUT ${ONE}`]: ok(hidden),
    })
    expect(await screen.findByText('名单中的 ID：2 个')).toBeShown()
    await user.click(screen.getByRole('button', { name: '编辑分群' }))
    expect(await screen.findByText(/将保持不变/)).toBeShown()
    type('名称', '老客')
    await save()
    await waitFor(() => expect(sent('PUT')).toMatchObject([{ body: { name: '老客', definition } }]))
  })

  it('may not be there', async () => {
    show('/cohorts/c-1', SEES, { [ONE]: refusal(404) })
    expect(await screen.findByRole('heading', { name: '找不到这个分群' })).toBeShown()
  })

  it('leads back once it is deleted, and asks for it no more', async () => {
    const { seen, router } = show('/cohorts/c-1', SEES, {
      ...answers,
      ...listed(),
      [`DELETE ${ONE}`]: ok({}),
    })
    await user.click(await screen.findByRole('button', { name: '删除分群' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: '删除分群' }))
    await waitFor(() => expect(router.state.location.pathname).toMatch(/\/cohorts$/))
    expect(seen.filter(({ method, path }) => method === 'GET' && path === ONE)).toHaveLength(1)
  })
})

describe('the sizes of one', () => {
  const TODAY = dayAt(Date.now(), anApp.timezone)
  const ago = (days: number, people: number) => ({ date: addDays(TODAY, -days), people })
  const open = (answer: Answers[string]) =>
    show('/cohorts/c-1', ASKS, { [ONE]: ok(cohort), ...size, [`${ONE}/sizes`]: answer })
  const panel = async () => within(await screen.findByRole('region', { name: '人数变化' }))

  it('are a line, with the newest and how it changed within a week', async () => {
    open(ok({ sizes: [ago(7, 1000), ago(6, 1010), ago(1, 1100), ago(0, 1200)] }))
    const shown = await panel()
    const latest = (await shown.findByText('1,200', { selector: 'strong *' })).closest('p')!
    expect(latest.textContent).toContain('20%')
    expect(latest.textContent).toContain('7 天前 1,000 人')
    // Each size is measured at one moment, even today's, so none is partial. Days without a
    // measurement are gaps.
    await waitFor(() => expect(drawnSeries()).toHaveLength(1))
    expect(drawnSeries()[0]!.data).toEqual([1000, 1010, null, null, null, null, 1100, 1200])
  })

  it('are compared with nothing where there is no size of that day', async () => {
    open(ok({ sizes: [ago(8, 1000), ago(1, 1200), ago(0, 1300)] }))
    const shown = await panel()
    expect(await shown.findByText('1,300', { selector: 'strong *' })).toBeShown()
    expect(shown.queryByText(/7 天前/)).toBeNull()
    expect(shown.queryByText(/%/)).toBeNull()
  })

  it('are no share of nobody', async () => {
    open(ok({ sizes: [ago(9, 0), ago(2, 30)] }))
    const shown = await panel()
    expect(await shown.findByText('7 天前 0 人')).toBeShown()
    expect(shown.queryByText(/%/)).toBeNull()
  })

  it('say when the first is there', async () => {
    open(ok({ sizes: [] }))
    expect(await (await panel()).findByText('首次人数统计将在一小时内完成。')).toBeShown()
  })

  it('say that nobody was ever in it', async () => {
    open(ok({ sizes: [ago(1, 0), ago(0, 0)] }))
    expect(await (await panel()).findByText('这段时间没有用户属于这个分群。')).toBeShown()
  })

  it('can be asked for again', async () => {
    open(refusal(503))
    const retry = { name: spaced('重试') }
    expect(await (await panel()).findByRole('button', retry)).toBeShown()
  })

  it('are not asked for again where they may not be told', async () => {
    const errors = [{ error: '涉及个人信息', code: 'personal_data' }]
    open(refusal(403, { message: '', errors }))
    const shown = await panel()
    expect(await shown.findByText('涉及个人信息')).toBeShown()
    expect(shown.queryByRole('button')).toBeNull()
  })
})
