/**
 * An app of the test's own and people in its team, set up through the API and the team's emails.
 */
import type { APIResponse, Page } from '@playwright/test'
import { ABOUT, linkIn, mailTo } from './mail'
import { expect, ownAccount, signInByCall, unusedAddress, type Instance } from './test'

export interface OwnApp {
  own: Instance
  appId: string
}

export const appPath = (appId: string, page: string) => `/${appId}/authManagement/${page}`

async function dataOf<Data>(answer: APIResponse): Promise<Data> {
  expect(answer.status(), await answer.text()).toBe(200)
  return ((await answer.json()) as { data: Data }).data
}

/** Signs in as the owner of a new team, which already has its first app. */
export async function openOwnApp(page: Page, instance: Instance, name: string): Promise<OwnApp> {
  const own = ownAccount(instance, name)
  await signInByCall(page, own)
  const { items } = await dataOf<{ items: { id: string }[] }>(
    await page.request.get(`/api/v1/orgs/${own.orgId}/apps?status=active`),
  )
  return { own, appId: items[0]!.id }
}

interface NewMember {
  name: string
  appId: string
  /** A role in the app, by key or name. If omitted, the person is only in the team. */
  role?: string
}

/** Invites someone to the owner's team and accepts the invitation in a separate browser. */
export async function addMember(owner: Page, own: Instance, member: NewMember): Promise<Page> {
  const { name, appId, role } = member
  const email = unusedAddress()
  const apps = role ? [{ app_id: appId, role_id: await roleId(owner, appId, role) }] : []
  await dataOf(
    await owner.request.post(`/api/v1/orgs/${own.orgId}/invitations`, {
      data: { emails: [email], role: 'member', apps },
    }),
  )
  const mail = await mailTo(own.dataFolder, email, ABOUT.address)
  const token = linkIn(mail).split('/').at(-1)!
  const context = await owner.context().browser()!.newContext({ baseURL: own.url })
  const page = await context.newPage()
  await dataOf(
    await page.request.post('/api/v1/register/profile', {
      data: { token, name, password: own.account.password },
    }),
  )
  return page
}

/** A team member whose own view is never tested. */
export async function addTeammate(owner: Page, own: Instance, member: NewMember): Promise<void> {
  const page = await addMember(owner, own, member)
  await page.context().close()
}

/** Built-in roles are looked up by key, others by name. */
export async function roleId(page: Page, appId: string, known: string): Promise<string> {
  const { items } = await dataOf<{ items: { id: string; key: string | null; name: string }[] }>(
    await page.request.get(`/api/v1/apps/${appId}/roles`),
  )
  return items.find(({ key, name }) => (key ?? name) === known)!.id
}

export async function makeRole(
  page: Page,
  appId: string,
  role: { name: string; permissions: string[] },
): Promise<void> {
  await dataOf(await page.request.post(`/api/v1/apps/${appId}/roles`, { data: role }))
}
