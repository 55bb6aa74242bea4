import { QueryClientProvider, QueryObserver } from '@tanstack/react-query'
import { act, render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { App } from '../api/app'
import { queryClient } from '../api/queryClient'
import { bindNavigator } from '../lib/navigation'
import { loadUser, rememberUser } from '../session/session'
import { anApp, refusedRoute, user } from '../testing/app'
import { aUser, ok, refusal, stubServer } from '../testing/server'
import { OrgSwitcher } from './OrgSwitcher'
import WorkspaceLayout from './WorkspaceLayout'

const ENTRY = '/org-id/org-1/app-id/app-1'
const ALL = [
  'app:view',
  'dashboard:view',
  'event:view',
  'query:run',
  'live:view',
  'profile:view',
] as const

interface Shown {
  at?: string
  may?: readonly string[]
  app?: Partial<App>
  answers?: Parameters<typeof stubServer>[0]
}

const navigate = vi.fn()
beforeEach(() => {
  navigate.mockReset()
  bindNavigator(navigate)
})

function show({ at = ENTRY, may = ALL, app, answers }: Shown) {
  rememberUser({ ...aUser, last_app: null })
  const role = { role: { id: 'r', key: null, name: '值班' }, permissions: may, via: 'app' }
  const seen = stubServer({
    '/apps/app-1': ok({ ...anApp, ...app }),
    '/apps/app-1/role': ok(role),
    '/current/last-app': ok({}),
    '/orgs': ok({ items: [{ id: 'org-0', name: '别的团队' }, org1], total: 2 }),
    ...answers,
  })
  const page = <p>the page</p>
  const children = [
    { index: true, element: page },
    { path: '*', element: page },
  ]
  const element = (
    <>
      <OrgSwitcher />
      <WorkspaceLayout />
    </>
  )
  const workspace = { path: 'org-id/:orgId/app-id/:appId', element, children }
  const router = createMemoryRouter([refusedRoute, workspace], { initialEntries: [at] })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { seen, router }
}

const org1 = { id: 'org-1', name: '数据平台部' }
const menu = async () => within(await screen.findByRole('navigation', { name: '应用工作台' }))

describe('the menu of a workspace', () => {
  it('has every page for those who may open all', async () => {
    show({})
    const links = (await menu()).getAllByRole('link')
    expect(links.map((link) => link.textContent)).toEqual([
      '应用概览',
      '事件',
      '分析',
      '用户分群',
      '实时数据',
      '用户与设备',
      '快速开始',
    ])
    expect(links[0]!.getAttribute('aria-current')).toBe('page')
  })

  it('marks the page, also below it, and not the overview', async () => {
    show({ at: `${ENTRY}/users/device/d-1` })
    const current = (await menu()).getAllByRole('link', { current: 'page' })
    expect(current.map((link) => link.textContent)).toEqual(['用户与设备'])
  })

  it('leaves out what the person may not open; its address leads to the refusal', async () => {
    const { router } = show({ may: ['app:view', 'dashboard:view'] })
    const links = (await menu()).getAllByRole('link')
    expect(links.map((link) => link.textContent)).toEqual(['应用概览', '快速开始'])
    await router.navigate(`${ENTRY}/live?search=a`)
    expect(await screen.findByText(`refused: ${ENTRY}/live?search=a`)).toBeShown()
    expect(screen.queryByText('the page')).toBeNull()
  })
})

describe('an app that has never sent anything', () => {
  const fresh = { has_events: false }
  const ingest = (last_event_at: string | null, accepted: number) =>
    ok({ last_event_at, accepted, duplicate: 0, rejected: 0, reasons: [], over_limit: [] })

  it('is entered at its quick start, and its overview opens all the same', async () => {
    const { router } = show({ app: fresh, answers: { '/apps/app-1/ingest': ingest(null, 0) } })
    await waitFor(() => expect(router.state.location.pathname).toBe(`${ENTRY}/quick-start`))
    // The router is there before what it shows.
    expect(await screen.findByText('the page')).toBeShown()
    await router.navigate(ENTRY)
    expect(await screen.findByText('the page')).toBeShown()
    expect(router.state.location.pathname).toBe(ENTRY)
  })

  it.each([
    ['has sent something', {}, ENTRY],
    ['is archived', { ...fresh, status: 'archived' }, ENTRY],
    ['is looked at in a range', fresh, `${ENTRY}?range=7d`],
    ['is entered at another page', fresh, `${ENTRY}/events`],
  ] as const)('which %s stays where it is', async (_, app, at) => {
    const { router } = show({ app, at, answers: { '/apps/app-1/ingest': ingest(null, 0) } })
    expect(await screen.findByText('the page')).toBeShown()
    const { pathname, search } = router.state.location
    expect(pathname + search).toBe(at)
  })

  it('is asked for anew as soon as the first event is counted', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    let answer = ingest(null, 0)
    const { seen } = show({
      app: fresh,
      at: `${ENTRY}/events`,
      answers: { '/apps/app-1/ingest': () => answer() },
    })
    const figures = vi.fn(() => Promise.resolve(0))
    expect(await screen.findByText('the page')).toBeShown()
    for (const queryKey of [
      ['app', 'app-1', 'catalog'],
      ['org', 'org-1', 'overall'],
    ]) {
      const old = new QueryObserver(queryClient, {
        queryKey,
        queryFn: figures,
        staleTime: Infinity,
      })
      onTestFinished(old.subscribe(() => {}))
    }
    await vi.waitFor(() => expect(figures).toHaveBeenCalledTimes(2))
    // Stored but not counted yet, so the figures would be outdated.
    answer = ingest(new Date().toISOString(), 0)
    await act(() => vi.advanceTimersByTimeAsync(3_100))
    expect(figures).toHaveBeenCalledTimes(2)
    answer = ingest(new Date().toISOString(), 1)
    await act(() => vi.advanceTimersByTimeAsync(3_100))
    await vi.waitFor(() => expect(figures).toHaveBeenCalledTimes(4))
    expect(seen.filter(({ path }) => path === '/apps/app-1').length).toBeGreaterThan(1)
    vi.useRealTimers()
  })
})

describe('opening a workspace', () => {
  it('makes it where the person lands next time, once', async () => {
    const { seen, router } = show({})
    expect(await screen.findByText('the page')).toBeShown()
    await waitFor(async () =>
      expect((await loadUser()).last_app).toEqual({
        org_id: 'org-1',
        app_id: 'app-1',
        endpoint: anApp.endpoint,
        is_local: true,
      }),
    )
    await router.navigate(`${ENTRY}/events`)
    const told = seen.filter(({ path }) => path === '/current/last-app')
    expect(told.map(({ method, body }) => [method, body])).toEqual([['PUT', '{"app_id":"app-1"}']])
    expect(localStorage.getItem('atrium.org')).toBe('org-1')
  })

  it('is where home leads at once, and the server hears of apps in the order they are opened', async () => {
    let answer!: (response: Response) => void
    const slow = new Promise<Response>((resolve) => (answer = resolve))
    const answers = [slow, ok({})()]
    const { seen, router } = show({
      answers: {
        '/current/last-app': () => answers.shift()!,
        '/apps/app-2': ok({ ...anApp, id: 'app-2' }),
        '/apps/app-2/role': ok({ role: null, permissions: ALL, via: 'organization' }),
      },
    })
    const told = () =>
      seen.filter(({ path }) => path === '/current/last-app').map(({ body }) => body)
    const landsIn = async () => (await loadUser()).last_app?.app_id
    await waitFor(async () => expect(await landsIn()).toBe('app-1'))
    await router.navigate('/org-id/org-1/app-id/app-2')
    await waitFor(async () => expect(await landsIn()).toBe('app-2'))
    expect(told()).toEqual(['{"app_id":"app-1"}'])
    answer(ok({})())
    await waitFor(() => expect(told()).toHaveLength(2))
    expect(told()[1]).toBe('{"app_id":"app-2"}')
    expect(await landsIn()).toBe('app-2')
  })

  it('works where that cannot be kept', async () => {
    show({ answers: { '/current/last-app': refusal(503) } })
    expect(await screen.findByText('the page')).toBeShown()
  })

  it('leads to the team that the app is of', async () => {
    const { router } = show({ at: '/org-id/org-0/app-id/app-1/events?search=x' })
    expect(await screen.findByText('the page')).toBeShown()
    const { pathname, search } = router.state.location
    expect(pathname + search).toBe(`${ENTRY}/events?search=x`)
  })

  it('shows whose app it is in the bar', async () => {
    localStorage.setItem('atrium.org', 'org-0')
    show({})
    expect(await screen.findByRole('button', { name: /^当前团队：数据平台部/ })).toBeShown()
  })
})

describe('the state of an app', () => {
  it('archived: says so and goes on', async () => {
    show({ app: { status: 'archived', archived_at: aUser.created_at } })
    expect(await screen.findByText('应用已归档，当前为只读')).toBeShown()
    expect(screen.getByText('the page')).toBeShown()
  })

  it('deleted: has no pages, and is nowhere to land', async () => {
    const { seen } = show({ app: { status: 'deleted' } })
    expect(await screen.findByText('应用已删除，数据无法查看')).toBeShown()
    expect(screen.queryByText('the page')).toBeNull()
    expect(seen.map(({ path }) => path)).not.toContain('/current/last-app')
  })

  it('not there', async () => {
    show({ answers: { '/apps/app-1': refusal(404), '/apps/app-1/role': refusal(404) } })
    expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe('页面不存在')
  })
})

describe('the way to another app', () => {
  const other = { ...anApp, id: 'app-2', name: '官网' }

  it('finds it by name and opens the same page', async () => {
    const { seen } = show({
      at: `${ENTRY}/users/user/u-1`,
      answers: { '/orgs/org-1/apps': ok({ items: [anApp, other], total: 2 }) },
    })
    const field = await screen.findByRole('combobox', { name: /商城/ })
    await user.click(field)
    await user.type(field, '官')
    await waitFor(() => expect(seen.at(-1)!.query).toContain(`search=${encodeURIComponent('官')}`))
    await user.click(await screen.findByText('官网'))
    expect(navigate).toHaveBeenCalledWith('/org-id/org-1/app-id/app-2/users', expect.anything())
  })

  it('leads out where the app is at another region', async () => {
    const { browser } = await import('../lib/navigation')
    const assign = vi.spyOn(browser, 'assign').mockImplementation(() => {})
    const far = { ...other, is_local: false, endpoint: 'https://eu.example' }
    show({ answers: { '/orgs/org-1/apps': ok({ items: [far], total: 1 }) } })
    await user.click(await screen.findByRole('combobox', { name: /商城/ }))
    await user.click(await screen.findByText('官网'))
    expect(assign).toHaveBeenCalledWith('https://eu.example/org-id/org-1/app-id/app-2')
  })
})
