import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it } from 'vitest'
import type { Profile, ProfileItem, Timeline } from '../../../api/people'
import { queryClient } from '../../../api/queryClient'
import { AppContext } from '../../../session/app'
import { rememberUser } from '../../../session/session'
import { anApp, showInApp, user } from '../../../testing/app'
import { aUser, ok, refusal, stubServer, type SeenRequest } from '../../../testing/server'
import { accessTo, type AppPermission } from '../../../session/access'
import PeoplePage from './PeoplePage'
import PersonPage from './PersonPage'

const SEES: AppPermission[] = ['app:view', 'profile:view']
const SEES_ALL: AppPermission[] = [...SEES, 'profile:pii']
const REF = 'p_0123456789abcdef0123456789abcdef'

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

const item: ProfileItem = {
  id: REF,
  ref: REF,
  first_seen: ago(72),
  last_seen: ago(1),
  properties: { name: null, level: 3 },
  redacted: true,
  truncated: false,
  shortened: false,
}

const queryOf = (seen: SeenRequest[], path: string) =>
  seen
    .filter((request) => request.path === path)
    .map(({ query }) => Object.fromEntries(new URLSearchParams(query)))

describe('users and devices', () => {
  const list = (...items: ProfileItem[]) => ({
    '/apps/app-1/profiles': ok({ items, total: items.length }),
  })

  it('lists users under pseudonyms and says what hides the rest', async () => {
    const seen = showInApp(<PeoplePage />, { may: SEES, answers: list(item) })
    const link = await screen.findByRole('link', { name: REF })
    expect(link.getAttribute('href')).toBe(`/org-id/org-1/app-id/app-1/users/user/${REF}`)
    expect(screen.getByText(/需要“查看个人信息”权限/)).toBeShown()
    expect(screen.getByText(/另有 1 项，部分已隐藏/)).toBeShown()
    expect(queryOf(seen, '/apps/app-1/profiles')).toEqual([
      { kind: 'user', page: '1', page_size: '20', sort: 'last_seen', order: 'desc' },
    ])
  })

  it('lists devices on a tab of their own, in the order that was chosen', async () => {
    const seen = showInApp(<PeoplePage />, {
      may: SEES_ALL,
      answers: list({ ...item, id: 'a/b?c', ref: 'a/b?c', first_seen: null, redacted: false }),
      search: '?tab=device&sort=id&order=asc&search=a',
    })
    const link = await screen.findByRole('link', { name: 'a/b?c' })
    expect(link.getAttribute('href')).toContain('/users/device/a%2Fb%3Fc')
    expect(screen.queryByText(/需要“查看个人信息”权限/)).toBeNull()
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('设备')
    expect(queryOf(seen, '/apps/app-1/profiles')).toMatchObject([
      { kind: 'device', sort: 'id', order: 'asc', search: 'a' },
    ])
    await user.click(screen.getByRole('tab', { name: '用户' }))
    expect(queryOf(seen, '/apps/app-1/profiles').at(-1)).toMatchObject({ kind: 'user' })
  })

  it('says what fills them', async () => {
    showInApp(<PeoplePage />, { may: SEES, answers: list() })
    expect(await screen.findByText(/setUserId/)).toBeShown()
  })
})

describe('one of them', () => {
  const profile: Profile = {
    ...item,
    events: 5123,
    top_events: [{ event: 'order', events: 2000 }],
    devices: ['p_device'],
    updated_at: ago(2),
  }
  const step = (log_id: string, event: string, at: number) => ({
    at: new Date(at).toISOString(),
    event,
    log_id,
    url_path: '/cart',
    os: 'iOS',
    browser: 'Safari',
    device_type: 'Mobile',
    properties: { amount: 12.5, phone: null },
    redacted: 1,
    shortened: false,
  })

  function show(answers: Parameters<typeof stubServer>[0], may = SEES, kind = 'user') {
    rememberUser(aUser)
    const seen = stubServer(answers)
    const element = (
      <AppContext value={{ app: anApp, ...accessTo(anApp, may) }}>
        <PersonPage />
      </AppContext>
    )
    const path = '/org-id/:orgId/app-id/:appId/users/:kind/:ref'
    const router = createMemoryRouter([{ path, element }], {
      initialEntries: [`/org-id/org-1/app-id/app-1/users/${kind}/${encodeURIComponent(REF)}`],
    })
    render(
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>,
    )
    return seen
  }

  it('shows activity, properties and what belongs together', async () => {
    show({ '/apps/app-1/profile': ok(profile), '/apps/app-1/profile/events': refusal(503) })
    expect(await screen.findByText('5,123')).toBeShown()
    expect(screen.getByText('39%')).toBeShown()
    const properties = within(screen.getByRole('region', { name: '属性' }))
    expect(properties.getByText('name').nextSibling?.textContent).toContain('已隐藏')
    expect(properties.getByText('level').nextSibling?.textContent).toBe('3')
    expect(properties.getByText(/需要“查看个人信息”权限/)).toBeShown()
    const device = screen.getByRole('link', { name: 'p_device' })
    expect(device.getAttribute('href')).toContain('/users/device/p_device')
    // The failed part beside it says so itself.
    const timeline = within(screen.getByRole('region', { name: '行为时间线' }))
    expect(await timeline.findByRole('alert')).toBeShown()
  })

  it('shows an empty value as one to those who see everything', async () => {
    show(
      {
        '/apps/app-1/profile': ok({ ...profile, redacted: false }),
        '/apps/app-1/profile/events': ok({ items: [], next: null }),
      },
      SEES_ALL,
    )
    const properties = within(await screen.findByRole('region', { name: '属性' }))
    expect(properties.getByText('name').nextSibling?.textContent).toBe('null')
    expect(screen.queryByText('已隐藏')).toBeNull()
  })

  it('says when the profile outgrew its limit', async () => {
    show({
      '/apps/app-1/profile': ok({ ...profile, truncated: true }),
      '/apps/app-1/profile/events': ok({ items: [], next: null }),
    })
    expect(await screen.findByText(/该资料超出大小上限/)).toBeShown()
  })

  it('goes back in time step by step', async () => {
    const at = Date.parse('2026-11-15T03:00:00Z')
    const pages: Timeline[] = [
      { items: [step('l-1', 'order', at)], next: at },
      { items: [step('l-2', 'signup', at - 86_400_000)], next: null },
    ]
    const seen = show({
      '/apps/app-1/profile': ok(profile),
      '/apps/app-1/profile/events': () =>
        ok(pages[queryOf(seen, '/apps/app-1/profile/events').length - 1])(),
    })
    await user.click(await screen.findByRole('button', { name: '查看更早的事件' }))
    const timeline = within(screen.getByRole('region', { name: '行为时间线' }))
    expect(await timeline.findByText('signup')).toBeShown()
    expect(timeline.getAllByRole('heading', { level: 3 }).map((day) => day.textContent)).toEqual([
      '2026年11月15日星期日',
      '2026年11月14日星期六',
    ])
    expect(timeline.queryByRole('button', { name: '查看更早的事件' })).toBeNull()
    expect(queryOf(seen, '/apps/app-1/profile/events')).toEqual([
      { kind: 'user', ref: REF, limit: '50' },
      { kind: 'user', ref: REF, limit: '50', before: String(at) },
    ])
    await user.click(timeline.getByRole('button', { name: /order/ }))
    expect(timeline.getByText('12.5')).toBeShown()
    expect(timeline.getByText('iOS · Safari · Mobile')).toBeShown()
  })

  it('may not be there', async () => {
    show({ '/apps/app-1/profile': refusal(404) }, SEES, 'device')
    expect(await screen.findByRole('heading', { name: '找不到这台设备' })).toBeShown()
    const back = screen.getAllByRole('link', { name: '返回设备列表' })
    expect(back[0]!.getAttribute('href')).toContain('/users?tab=device')
  })
})
