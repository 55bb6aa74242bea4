/** Names in any script: on every page, in exports, and in emails. */
import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import { addMember, appPath, makeRole, openOwnApp, type OwnApp } from './app'
import { loaded, message, send } from './events'
import { mailTo } from './mail'
import { expectNamesIntact, NAMES, readCsv } from './names'
import { dataOf } from './team'
import {
  expect,
  expectToFit,
  long,
  ownAccount,
  resize,
  test,
  unusedAddress,
  walkTo,
  wordsOf,
  type Instance,
} from './test'

const t = wordsOf('zh-CN')
const WIDTHS = [1440, 390]

test.slow()

interface Named extends OwnApp {
  roleId: string
}

/** A team whose people, app, role, and events have such names. */
async function openNamed(page: Page, instance: Instance): Promise<Named> {
  const { own, appId } = await openOwnApp(page, instance, 'Named')
  const { request } = page
  await dataOf(await request.put('/api/v1/current/profile', { data: { name: NAMES.person } }))
  await dataOf(await request.put(`/api/v1/orgs/${own.orgId}`, { data: { name: NAMES.team } }))
  await dataOf(await request.put(`/api/v1/apps/${appId}`, { data: { name: NAMES.app } }))
  await makeRole(page, appId, { name: NAMES.role, permissions: ['app:view', 'member:view'] })
  const member = await addMember(page, own, { name: NAMES.member, appId, role: NAMES.role })
  await member.context().close()
  const { items } = await dataOf<{ items: { id: string; name: string }[] }>(
    await request.get(`/api/v1/apps/${appId}/roles`),
  )
  const properties = { name: NAMES.person }
  const events = [{ event: NAMES.event, user: 'u-1', properties }, { event: 'plain' }]
  await send(page, appId, ...events.map(message))
  await loaded(page, appId, events.length)
  return { own, appId, roleId: items.find(({ name }) => name === NAMES.role)!.id }
}

const asking = (entry: string, question: object, kind = 'trend') =>
  `${entry}/analyses/${kind}?${new URLSearchParams({ q: JSON.stringify(question) })}`

function pagesOf({ own, appId, roleId }: Named): string[] {
  const entry = `/org-id/${own.orgId}/app-id/${appId}`
  const event = encodeURIComponent(NAMES.event)
  const team = ['member', 'config-app', 'archived-app', 'delete-app', 'setting', 'sso', 'audit']
  const settings = ['appDetail', 'appMember', 'appAuthority', 'appSecretKey', 'appAudit']
  return [
    '/organization/list',
    ...team.map((page) => `/organization/config/${page}?org=${own.orgId}`),
    `/organization/config/member?org=${own.orgId}&tab=invitations`,
    `/data-dashboard?org=${own.orgId}`,
    '/account/user-info',
    '/no-auth',
    '/403',
    ...settings.map((page) => appPath(appId, page)),
    appPath(appId, `appAuthority/editRole?role=${roleId}`),
    `${entry}?range=today`,
    // Never the same page twice in a row: the change would go unnoticed.
    `${entry}/events`,
    asking(entry, { s: [[NAMES.event]], b: ['$event'] }),
    `${entry}/events?event=${event}`,
    asking(entry, { f: { a: [['name', 'is', NAMES.person]] } }),
    `${entry}/analyses`,
    asking(entry, { n: [[NAMES.event], ['plain']] }, 'funnel'),
    `${entry}/cohorts`,
    asking(entry, { from: [NAMES.event] }, 'paths'),
    `${entry}/live`,
    `${entry}/users`,
    `${entry}/users/user/u-1`,
    `${entry}/quick-start`,
    '/no/such/page',
  ]
}

test('names of any letters are whole on every page', async ({ page, instance }) => {
  const named = await openNamed(page, instance)
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  for (const [index, path] of pagesOf(named).entries()) {
    await walkTo(page, path)
    // Begins at the width of the page before: drawing at another one is half of the cost.
    for (const width of index % 2 === 0 ? WIDTHS : WIDTHS.toReversed()) {
      await test.step(`${path} at ${width} px`, async () => {
        await resize(page, width, 900)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expect(page.locator('[aria-busy=true], .ant-skeleton')).toHaveCount(0)
        await expect(page.getByText(t('broken.title'))).toHaveCount(0)
        await expectNamesIntact(page)
        await expectToFit(page)
      })
    }
  }
})

test(
  'a name of the longest kind is typed into a form and kept',
  long,
  async ({ page, instance }) => {
    const { own } = await openOwnApp(page, instance, 'Typist')
    await page.goto('/organization/list?create=')
    const name = page.getByRole('dialog').getByLabel(t('field.team'))
    await name.fill(NAMES.team)
    await expect(name).toHaveValue(NAMES.team)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    const { items } = await dataOf<{ items: { name: string }[] }>(
      await page.request.get('/api/v1/orgs'),
    )
    expect(items.map(({ name }) => name)).toContain(NAMES.team)
    expect(own.account.name).toBe('Typist')
  },
)

async function saved(page: Page, press: () => Promise<void>): Promise<Buffer> {
  const download: Promise<Download> = page.waitForEvent('download')
  await press()
  return readFile(await (await download).path())
}

test('names of any letters are whole in menus, dialogs, exports and mails', async ({
  page,
  instance,
}) => {
  const { own, appId } = await openNamed(page, instance)

  await test.step('menus and dialogs', async () => {
    await page.goto(`/organization/config/member?org=${own.orgId}`)
    await page
      .getByRole('button', { name: t('person.menu', { name: `\u2068${NAMES.person}\u2069` }) })
      .click()
    await expect(page.getByRole('menuitem', { name: t('person.signOut') })).toBeVisible()
    await expectNamesIntact(page)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: /^当前团队/ }).click()
    await expectNamesIntact(page)
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: t('palette.open') }).fill('متجر')
    await expect(page.getByRole('option').filter({ hasText: NAMES.app })).toBeVisible()
    await expectNamesIntact(page)
    await page.keyboard.press('Escape')

    await page.goto(appPath(appId, 'appMember'))
    await page
      .getByRole('button', {
        name: t('appMember.removeName', { name: `\u2068${NAMES.member}\u2069` }),
      })
      .click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectNamesIntact(page)
  })

  await test.step('exports', async () => {
    const exported = (title: string, format: string) =>
      saved(page, () =>
        page.getByRole('button', { name: t('dashboard.export', { title, format }) }).click(),
      )

    await page.goto(`/data-dashboard?org=${own.orgId}&range=today`)
    const events = readCsv((await exported(t('dashboard.topEvents'), 'CSV')).toString())
    expect(events.map(([event]) => event)).toContain(NAMES.event)

    await page.goto(`/org-id/${own.orgId}/app-id/${appId}?range=today`)
    const picture = await exported(t('overview.active'), 'PNG')
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.length).toBeGreaterThan(5_000)

    await page.goto(`/organization/config/audit?org=${own.orgId}`)
    const button = page.getByRole('button', { name: t('audit.export', { format: 'CSV' }) })
    const audit = readCsv((await saved(page, () => button.click())).toString())
    expect(new Set(audit.map((cells) => cells.length)).size).toBe(1)
    const cells = audit.flat()
    for (const name of [NAMES.person, NAMES.app, NAMES.role]) expect(cells).toContain(name)
  })

  await test.step('mails', async () => {
    const invite = async (email: string) => {
      await dataOf(
        await page.request.post(`/api/v1/orgs/${own.orgId}/invitations`, {
          data: { emails: [email], role: 'member' },
        }),
      )
      return mailTo(own.dataFolder, email, /邀请/)
    }
    // To someone new, and to someone with an account, who gets it as a notification.
    for (const email of [unusedAddress(), ownAccount(instance, 'Guest').account.email]) {
      const { subject, text } = await invite(email)
      expect(text).toContain(`\u2068${NAMES.person}\u2069 邀请你加入`)
      expect(text).toContain(`“\u2068${NAMES.team}\u2069”`)
      // Subjects never contain text that users wrote.
      expect(subject).toMatch(/^[\u4e00-\u9fff A-Za-z]+$/)
    }
  })
})
