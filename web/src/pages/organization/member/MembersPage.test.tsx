import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it } from 'vitest'
import { environmentQuery, type Environment } from '../../../api/environment'
import type { Org } from '../../../api/orgs'
import { queryClient } from '../../../api/queryClient'
import { OrgProvider } from '../../../session/org'
import { rememberUser } from '../../../session/session'
import { user } from '../../../testing/app'
import { aUser, ok, stubServer } from '../../../testing/server'
import MembersPage from './MembersPage'

// Multi-code-unit characters, right-to-left text, and the maximum length.
const NAMES = ['👩‍👩‍👧‍👦👩🏽‍🚀', 'مريم العلي', '长'.repeat(64)]

function show(permissions: string[], answers: Parameters<typeof stubServer>[0] = {}, search = '') {
  rememberUser(aUser)
  const known = permissions.includes('org_member:manage')
  const items = NAMES.map((name, n) => ({
    user_id: `u${n}`,
    name,
    email: `u${n}@example.com`,
    role: 'member',
    joined_at: aUser.created_at,
    last_login_at: known ? aUser.created_at : null,
    mfa: known ? false : null,
    app_count: 1,
    is_me: false,
  }))
  const seen = stubServer({ '/orgs/org-1/members': ok({ items, total: items.length }), ...answers })
  const org = { id: 'org-1', name: '数据平台部', role: 'admin', permissions } as unknown as Org
  const element = (
    <OrgProvider value={org}>
      <MembersPage />
    </OrgProvider>
  )
  const at = `/organization/config/member?org=org-1${search}`
  const router = createMemoryRouter([{ path: '*', element }], { initialEntries: [at] })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return seen
}

const heads = async () =>
  (await screen.findAllByRole('columnheader')).map((head) => head.textContent.trim())

describe('the members of a team', () => {
  it('say how and when they sign in to those who manage them', async () => {
    show(['org_member:manage'])
    expect(await screen.findByText('مريم العلي')).toBeShown()
    expect(await heads()).toEqual(expect.arrayContaining(['上次登录', '两步验证']))
  })

  it('are not said to have never signed in where it is not told', async () => {
    const seen = show([], {}, '&sort=last_login_at&order=desc')
    expect(await screen.findByText(NAMES[0]!)).toBeShown()
    for (const head of await heads()) expect(head).not.toMatch(/登录|验证/)
    expect(screen.queryByText('从未登录')).toBeNull()
    expect(screen.queryByText('未开启')).toBeNull()
    expect(seen[0]!.query).not.toContain('last_login_at')
  })
})

describe('an invitation where no mail is sent', () => {
  const INVITATION = {
    id: 'i1',
    email: 'new@example.com',
    role: 'member',
    apps: [],
    state: 'pending',
    created_at: aUser.created_at,
    expires_at: '2999-01-01T00:00:00Z',
  }
  const withMail = (mail_configured: boolean) =>
    queryClient.setQueryData(environmentQuery.queryKey, { mail_configured } as Environment)
  const show_ = () =>
    show(
      ['org_member:manage'],
      {
        '/orgs/org-1/invitations': ok({ items: [INVITATION], total: 1 }),
        '/orgs/org-1/invitations/i1/link': ok({
          link: 'https://a.example/emailValidator/t',
          makes_account: true,
          expires_at: INVITATION.expires_at,
        }),
      },
      '&tab=invitations',
    )

  it('is handed over by a link, and sending it again is not offered', async () => {
    withMail(false)
    show_()
    await user.click(await screen.findByRole('button', { name: /new@example.com/ }))
    expect(screen.queryByRole('menuitem', { name: '重新发送' })).toBeNull()
    await user.click(await screen.findByRole('menuitem', { name: '复制链接' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/之前的链接随即失效/)).toBeShown()
    await user.click(dialog.getByRole('button', { name: /new@example.com/ }))
    expect(await dialog.findByText('https://a.example/emailValidator/t')).toBeShown()
  })

  it('is sent again where a mail server is set', async () => {
    withMail(true)
    show_()
    await user.click(await screen.findByRole('button', { name: /new@example.com/ }))
    expect(await screen.findByRole('menuitem', { name: '重新发送' })).toBeShown()
    expect(screen.queryByRole('menuitem', { name: '复制链接' })).toBeNull()
  })

  it('is not said to be sent', async () => {
    withMail(false)
    const results = [{ email: INVITATION.email, status: 'invited', invitation: INVITATION }]
    show(
      ['org_member:manage'],
      { '/orgs/org-1/invitations': ok({ results }) },
      '&invite=new@example.com',
    )
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(await dialog.findByRole('button', { name: '创建邀请' }))
    expect((await dialog.findByText(/^已创建 1 份邀请/)).textContent).toContain('邮件没有发出')
    expect(dialog.getByRole('button', { name: '复制给 new@example.com 的链接' })).toBeShown()
  })
})
