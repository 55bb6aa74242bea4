/** Teams and people for a test, set up through the API; the test itself then uses the screen. */
import type { APIResponse, Browser, Page } from '@playwright/test'
import { ABOUT, linkIn, mailTo } from './mail'
import { expect, ownAccount, signInByCall, unusedAddress, type Instance } from './test'

export async function dataOf<Data>(answer: APIResponse): Promise<Data> {
  expect(answer.status(), await answer.text()).toBe(200)
  return ((await answer.json()) as { data: Data }).data
}

export interface Person {
  page: Page
  email: string
  name: string
}

/** A new account with a team and its first app, signed in on this page. */
export async function signInAsOwner(page: Page, instance: Instance, name: string) {
  const own = ownAccount(instance, name)
  await signInByCall(page, own)
  return own
}

interface Invited {
  role?: 'owner' | 'admin' | 'member'
  /** Grants this built-in role in the team's first app. */
  app?: string
  email?: string
}

/** Invites someone through the API and returns the path from the email. */
export async function inviteByCall(owner: Page, own: Instance, invited: Invited = {}) {
  const { role = 'member', app, email = unusedAddress() } = invited
  const apps = app ? [await grantOf(owner, own, app)] : []
  await dataOf(
    await owner.request.post(`/api/v1/orgs/${own.orgId}/invitations`, {
      data: { emails: [email], role, apps },
    }),
  )
  const mail = await mailTo(own.dataFolder, email, ABOUT.address)
  return { email, path: new URL(linkIn(mail)).pathname }
}

/** Someone who has accepted an invitation, in a separate browser. */
export async function joinByCall(
  owner: Page,
  browser: Browser,
  own: Instance,
  name: string,
  invited: Invited = {},
): Promise<Person> {
  const { email, path } = await inviteByCall(owner, own, invited)
  const context = await browser.newContext({ baseURL: own.url, locale: 'zh-CN' })
  const page = await context.newPage()
  const token = path.split('/').at(-1)
  await dataOf(
    await page.request.post('/api/v1/register/profile', {
      data: { token, name, password: own.account.password },
    }),
  )
  return { page, email, name }
}

/** Invites someone who already has an account, and accepts for them. */
export async function joinWith(
  owner: Page,
  own: Instance,
  guestPage: Page,
  guest: Instance,
): Promise<void> {
  await dataOf(
    await owner.request.post(`/api/v1/orgs/${own.orgId}/invitations`, {
      data: { emails: [guest.account.email], role: 'member' },
    }),
  )
  const { items } = await dataOf<{ items: { id: string; organization: { id: string } }[] }>(
    await guestPage.request.get('/api/v1/current/invitations'),
  )
  const { id } = items.find(({ organization }) => organization.id === own.orgId)!
  await dataOf(await guestPage.request.post(`/api/v1/invitations/${id}/accept`))
}

async function grantOf(owner: Page, own: Instance, key: string) {
  const { id: app_id } = await firstApp(owner, own)
  const roles = await dataOf<{ items: { id: string; key?: string }[] }>(
    await owner.request.get(`/api/v1/apps/${app_id}/roles`),
  )
  return { app_id, role_id: roles.items.find((role) => role.key === key)!.id }
}

export async function firstApp(owner: Page, own: Instance): Promise<{ id: string; name: string }> {
  const { items } = await dataOf<{ items: { id: string; name: string }[] }>(
    await owner.request.get(`/api/v1/orgs/${own.orgId}/apps?status=active`),
  )
  return items[0]!
}

export async function userIdOf(owner: Page, own: Instance, email: string): Promise<string> {
  const { items } = await dataOf<{ items: { user_id: string; email: string }[] }>(
    await owner.request.get(`/api/v1/orgs/${own.orgId}/members?page_size=100`),
  )
  return items.find((member) => member.email === email)!.user_id
}

export const row = (page: Page, text: string | RegExp) =>
  page.getByRole('row').filter({ hasText: text })

/** Opens a row's menu and picks an action. */
export async function chooseAction(page: Page, menu: string, action: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}
