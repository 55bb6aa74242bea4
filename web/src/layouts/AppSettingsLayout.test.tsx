import { QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it, vi } from 'vitest'
import type { App } from '../api/app'
import { queryClient } from '../api/queryClient'
import { bindNavigator, browser } from '../lib/navigation'
import { rememberUser } from '../session/session'
import { refusedRoute } from '../testing/app'
import { aUser, ok, refusal, stubServer } from '../testing/server'
import AppSettingsLayout from './AppSettingsLayout'

const anApp: App = {
  id: 'app-1',
  org_id: 'org-1',
  name: '商城',
  description: '',
  region: 'local',
  endpoint: 'https://atrium.example',
  is_local: true,
  timezone: 'Asia/Shanghai',
  status: 'active',
  created_by: null,
  created_at: aUser.created_at,
  archived_at: null,
  deleted_at: null,
  purge_at: null,
  purge_started: false,
  member_count: 1,
  events_24h: null,
  permissions: [],
}

const role = (...permissions: string[]) =>
  ok({ role: { id: 'r', key: null, name: '值班' }, permissions, via: 'app' })
const refused = (status: number, code: string) =>
  refusal(status, { message: '', errors: [{ error: code, code }] })

/** Without the console's settings, Ant Design inserts a space between two characters. */
const spaced = ([first, second]: string) => new RegExp(`^${first}\\s?${second}$`)

type Answers = Parameters<typeof stubServer>[0]

function show(answers: Answers) {
  rememberUser(aUser)
  const seen = stubServer({
    '/apps/app-1': ok(anApp),
    '/apps/app-1/role': role('app:view'),
    '/orgs/org-1': ok({ id: 'org-1', name: '数据平台部' }),
    '/current': ok(aUser),
    ...answers,
  })
  const children = [{ path: '*', element: <p>the page</p> }]
  const routes = [
    refusedRoute,
    { path: ':appId/authManagement', Component: AppSettingsLayout, children },
  ]
  const router = createMemoryRouter(routes, {
    initialEntries: ['/app-1/authManagement/appDetail'],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return seen
}

const links = async () =>
  within(await screen.findByRole('navigation'))
    .getAllByRole('link')
    .map((link) => link.textContent)

describe('the frame of an app', () => {
  it('says which app, in what state, whose, and with what role', async () => {
    show({})
    expect(await screen.findByText('商城')).toBeShown()
    expect(screen.getByText('运行中')).toBeShown()
    expect(screen.getByText('值班')).toBeShown()
    expect(await screen.findByRole('link', { name: '数据平台部' })).toBeShown()
  })

  it.each([
    [['app:view'], ['应用详情']],
    [
      ['app:view', 'role:view', 'key:view'],
      ['应用详情', '应用权限', '应用密钥'],
    ],
    [
      ['app:view', 'member:view'],
      ['应用详情', '应用成员'],
    ],
  ])('with %j leads to %j', async (permissions, titles) => {
    show({ '/apps/app-1/role': role(...permissions) })
    expect(await links()).toEqual(titles)
  })

  it('leads back to the workspace', async () => {
    show({})
    const back = await screen.findByRole('link', { name: /返回工作台/ })
    expect(back.getAttribute('href')).toBe('/org-id/org-1/app-id/app-1')
  })

  it('is called the settings of the app', async () => {
    show({})
    expect((await screen.findByRole('navigation')).getAttribute('aria-label')).toBe('应用设置')
  })

  it('has the switcher of the workspace, which leads to the same page of another app', async () => {
    const went: string[] = []
    bindNavigator((to) => void went.push(to))
    const other = { ...anApp, id: 'app-2', name: '👩🏽‍🚀 المتجر' }
    show({ '/orgs/org-1/apps': ok({ items: [anApp, other], total: 2 }) })
    await userEvent.click(await screen.findByRole('combobox', { name: /当前应用：商城/ }))
    const link = await screen.findByRole('link', { name: '👩🏽‍🚀 المتجر' })
    expect(link.getAttribute('href')).toBe('/app-2/authManagement/appDetail')
    // The browser opens another tab; this page stays.
    fireEvent.click(link, { ctrlKey: true })
    expect(went).toEqual([])
    await userEvent.click(link)
    expect(went).toEqual(['/app-2/authManagement/appDetail'])
  })

  it('stands without the name of the team', async () => {
    show({ '/orgs/org-1': refused(500, 'internal') })
    expect(await screen.findByText('the page')).toBeShown()
  })
})

describe('an archived app', () => {
  const archived = { ...anApp, status: 'archived', archived_at: aUser.created_at } as const

  it('says so, and offers the way back only to those who may take it', async () => {
    show({ '/apps/app-1': ok(archived) })
    expect(await screen.findByText('应用已归档，当前为只读')).toBeShown()
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('comes back', async () => {
    let app: App = archived
    show({
      '/apps/app-1': () => ok(app)(),
      '/apps/app-1/role': role('app:view', 'app:archive'),
      '/apps/app-1/unarchive': () => {
        app = anApp
        return ok(app)()
      },
    })
    await userEvent.click(await screen.findByRole('button', { name: '取消归档' }))
    await waitFor(() => expect(screen.queryByText('应用已归档，当前为只读')).toBeNull())
  })
})

describe('a deleted app', () => {
  const deleted = { ...anApp, status: 'deleted', purge_at: '2999-01-01T00:00:00.000Z' } as const

  it('says when it is purged and can be restored until then', async () => {
    show({ '/apps/app-1': ok(deleted), '/apps/app-1/role': role('app:view', 'app:delete') })
    expect(await screen.findByRole('button', { name: spaced('恢复') })).toBeShown()
    expect(document.querySelector('time')?.dateTime).toBe(deleted.purge_at)
  })

  it('cannot once the purge has begun', async () => {
    const purging = { ...deleted, purge_started: true }
    show({ '/apps/app-1': ok(purging), '/apps/app-1/role': role('app:view', 'app:delete') })
    expect(await screen.findByText('数据正在清除，已无法恢复。')).toBeShown()
    expect(screen.queryByRole('button')).toBeNull()
  })
})

describe('an app that cannot be shown', () => {
  const heading = async () => (await screen.findByRole('heading', { level: 1 })).textContent

  it('is not there', async () => {
    show({
      '/apps/app-1': refused(404, 'not_found'),
      '/apps/app-1/role': refused(404, 'not_found'),
    })
    expect(await heading()).toBe('页面不存在')
    expect(screen.queryByText('the page')).toBeNull()
  })

  it('is closed to the person', async () => {
    show({ '/apps/app-1/role': refused(403, 'forbidden') })
    expect(await screen.findByText('refused: /app-1/authManagement/appDetail')).toBeShown()
  })

  it('wants a second factor: enrollment for those who have none', async () => {
    show({ '/apps/app-1': refused(403, 'second_factor_required') })
    expect(await heading()).toBe('需要开启两步验证')
    expect(screen.getByRole('button', { name: '开启两步验证' })).toBeShown()
  })

  it('wants the team’s single sign-on: the way there, and back', async () => {
    const assign = vi.spyOn(browser, 'assign').mockImplementation(() => {})
    const seen = show({
      '/apps/app-1': refused(403, 'sso_required'),
      '/sso/login': ok({ redirect_url: 'https://id.acme.example/a' }),
    })
    expect(await heading()).toBe('这个团队要求使用单点登录')
    await userEvent.click(screen.getByRole('button', { name: '用单点登录继续' }))
    await vi.waitFor(() => expect(assign).toHaveBeenCalledWith('https://id.acme.example/a'))
    // Neither the app nor its team is known, so the user's address decides.
    const body = seen.find(({ path }) => path === '/sso/login')!.body
    expect(JSON.parse(body)).toMatchObject({ email: aUser.email })
  })

  it('failed, and is asked for again', async () => {
    let broken = true
    show({ '/apps/app-1': () => (broken ? refused(500, 'internal')() : ok(anApp)()) })
    expect(await screen.findByRole('alert')).toBeShown()
    broken = false
    await userEvent.click(screen.getByRole('button', { name: spaced('重试') }))
    expect(await screen.findByText('the page')).toBeShown()
  })
})
