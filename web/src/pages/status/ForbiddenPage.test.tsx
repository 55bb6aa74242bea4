import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it } from 'vitest'
import { queryClient } from '../../api/queryClient'
import { rememberUser } from '../../session/session'
import { anApp } from '../../testing/app'
import { aUser, ok, refusal, stubServer } from '../../testing/server'
import ForbiddenPage from './ForbiddenPage'
import { readRefusal } from './refusal'

const ORIGIN = 'https://atrium.example'

describe('an address that was refused', () => {
  it.each([
    ['/org-id/o1/app-id/a1/live?x=1', 'title.live', 'live:view', 'a1', 'o1'],
    ['/org-id/o1/app-id/a1', 'title.overview', 'dashboard:view', 'a1', 'o1'],
    ['/org-id/o1/app-id/a1/users/user/u', 'title.people', 'profile:view', 'a1', 'o1'],
    ['/a1/authManagement/appAuthority/editRole', 'title.appAuthority', 'role:view', 'a1', null],
    ['/organization/config/sso?org=o1', 'title.teamSso', 'org_sso:manage', null, 'o1'],
    ['/data-dashboard?org=o1', 'title.dataDashboard', 'dashboard:view', null, 'o1'],
  ])('%s is told by its page', (from, page, needs, appId, orgId) => {
    expect(readRefusal(from, ORIGIN)).toMatchObject({ from, page, needs, appId, orgId })
  })

  it.each(['https://evil.example/', '//evil.example', 'javascript:alert(1)', '/403?from=/x', ''])(
    'that is none of ours is none: %s',
    (from) => expect(readRefusal(from, ORIGIN)).toBeNull(),
  )
})

function show(from: string | null, answers: Parameters<typeof stubServer>[0] = {}) {
  rememberUser(aUser)
  stubServer({
    '/permissions': ok({
      groups: [
        { scope: 'app', permissions: [{ code: 'live:view', name: '查看实时数据' }] },
        { scope: 'org', permissions: [{ code: 'org_sso:manage', name: '管理单点登录' }] },
      ],
    }),
    '/apps/app-1': ok(anApp),
    '/orgs/org-1/members': ok({
      items: [
        { user_id: 'u1', name: '👩‍👩‍👧‍👦 مريم', email: 'owner@example.com', role: 'owner' },
        { user_id: 'u2', name: '陈浩', email: 'admin@example.com', role: 'admin' },
        { user_id: 'u3', name: '别人', email: 'member@example.com', role: 'member' },
      ],
      total: 3,
    }),
    ...answers,
  })
  const at = from === null ? '/403' : `/403?from=${encodeURIComponent(from)}`
  const router = createMemoryRouter([{ path: '/403', Component: ForbiddenPage }], {
    initialEntries: [at],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
}

const people = () => screen.getAllByRole('listitem').map((item) => item.textContent)

describe('the page of a refusal', () => {
  it('says what was refused, what it takes, and who could grant it', async () => {
    show('/org-id/org-1/app-id/app-1/live')
    expect(await screen.findByText('商城')).toBeShown()
    expect(screen.getByText('实时数据')).toBeShown()
    expect(await screen.findByText('查看实时数据')).toBeShown()
    expect(people()).toEqual(['👩‍👩‍👧‍👦 مريم owner@example.com', '陈浩 admin@example.com'])
    const again = screen.getByRole('link', { name: '再试一次' })
    expect(again.getAttribute('href')).toBe('/org-id/org-1/app-id/app-1/live')
  })

  it('names owners alone for what only they hold', async () => {
    show('/organization/config/sso?org=org-1')
    expect(await screen.findByText('管理单点登录')).toBeShown()
    await screen.findAllByRole('listitem')
    expect(people()).toEqual(['👩‍👩‍👧‍👦 مريم owner@example.com'])
  })

  it('does without what the person may not see', async () => {
    const closed = { '/apps/app-1': refusal(403), '/orgs/org-1/members': refusal(404) }
    show('/org-id/org-1/app-id/app-1/live', closed)
    expect(await screen.findByText(/请联系团队管理员/)).toBeShown()
    expect(screen.getByText('实时数据')).toBeShown()
  })

  it('stands for itself', () => {
    show(null)
    expect(screen.getByText(/请联系团队管理员/)).toBeShown()
    expect(screen.queryByRole('link', { name: '再试一次' })).toBeNull()
  })

  it('says that an operator’s page is an operator’s', () => {
    show('/operator/errors')
    expect(screen.getByText('此页面仅供此实例的服务器管理员使用。')).toBeShown()
  })
})
