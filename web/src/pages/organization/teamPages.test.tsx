/** Pages of a team, for those who may do less, and its settings. */
import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it } from 'vitest'
import type { Org } from '../../api/orgs'
import { queryClient } from '../../api/queryClient'
import { OrgProvider } from '../../session/org'
import { rememberUser } from '../../session/session'
import { anApp, refusedRoute, spaced, user } from '../../testing/app'
import { aUser, ok, stubServer } from '../../testing/server'
import DeletedAppsPage from './apps/DeletedAppsPage'
import TeamAppsPage from './apps/TeamAppsPage'
import AuditPage from './audit/AuditPage'
import SettingPage from './setting/SettingPage'

const ORG = {
  id: 'org-1',
  name: '数据平台部',
  timezone: 'Asia/Shanghai',
  retention_days: 365,
  require_mfa: false,
}

function show(page: React.ReactNode, permissions: string[], answers = {}) {
  rememberUser(aUser)
  const seen = stubServer(answers)
  const org = { ...ORG, permissions } as unknown as Org
  const element = <OrgProvider value={org}>{page}</OrgProvider>
  const router = createMemoryRouter([refusedRoute, { path: '*', element }], {
    initialEntries: ['/organization/config/x?org=org-1'],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return seen
}

const apps = (app: object) => ({ '/orgs/org-1/apps': ok({ items: [app], total: 1 }) })

describe('the apps of a team', () => {
  it('are made by those who may', async () => {
    show(<TeamAppsPage />, ['org_app:create'], apps(anApp))
    expect(await screen.findByRole('button', { name: '新建应用' })).toBeShown()
  })

  it('are opened, and no more, by those who may do no more', async () => {
    show(<TeamAppsPage />, [], apps(anApp))
    await user.click(await screen.findByRole('button', { name: '“商城”的操作' }))
    const items = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)
    expect(items).toEqual(['进入应用', '在新窗口打开', '应用设置'])
    expect(screen.queryByRole('button', { name: '新建应用' })).toBeNull()
  })

  it('cannot be brought back once they are being purged', async () => {
    const permissions = ['app:delete']
    const deleted = { ...anApp, status: 'deleted', permissions, purge_started: true }
    show(<DeletedAppsPage />, [], apps(deleted))
    expect(await screen.findByText('正在清除，无法恢复')).toBeShown()
    expect(screen.queryByRole('button', { name: '“商城”的操作' })).toBeNull()
  })
})

describe('the settings of a team', () => {
  it('keep events for less time only after the team’s name is typed', async () => {
    const seen = show(<SettingPage />, ['org:update'], {
      '/orgs/org-1/retention-impact': ok({ events: 1_284_033 }),
      'PUT /orgs/org-1': ok({ ...ORG, name: '新名字', retention_days: 30, permissions: [] }),
    })
    const sent = () =>
      seen.flatMap(({ method, body }) => (method === 'PUT' ? [JSON.parse(body) as unknown] : []))
    const name = screen.getByLabelText('团队名称')
    const days = screen.getByLabelText('事件保留期限')
    const save = screen.getByRole<HTMLButtonElement>('button', { name: spaced('保存') })
    expect(save.disabled).toBe(true)
    await user.clear(name)
    await user.type(name, '新名字')
    await user.clear(days)
    await user.type(days, '0')
    await user.click(save)
    expect(await screen.findByText('请输入 1–3,650 之间的整数')).toBeShown()

    await user.clear(days)
    await user.type(days, '30')
    await user.click(save)
    const asked = within(await screen.findByRole('dialog'))
    expect(await asked.findByText('1,284,033')).toBeShown()
    await user.click(asked.getByRole('button', { name: spaced('取消') }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(save.className).not.toContain('loading'))
    expect(sent()).toEqual([])

    await user.click(save)
    const again = within(await screen.findByRole('dialog'))
    await user.type(await again.findByLabelText('请输入“数据平台部”以确认'), '数据平台部')
    await user.click(again.getByRole('button', { name: '缩短并保存' }))
    expect(await screen.findByText('已保存')).toBeShown()
    expect(sent()).toEqual([{ name: '新名字', timezone: 'Asia/Shanghai', retention_days: 30 }])
  })

  it.each([
    ['settings', <SettingPage key="" />],
    ['audit log', <AuditPage key="" />],
  ])('are closed to those who do not run it: %s', async (_, page) => {
    const seen = show(page, [])
    expect(await screen.findByText(/^refused: \/organization/)).toBeShown()
    expect(seen).toEqual([])
  })
})
