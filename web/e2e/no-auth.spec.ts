/**
 * Signed in with nothing to open: what the page offers, and how it lets people in automatically.
 */
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  LANGUAGES,
  long,
  ownAccount,
  signInByCall,
  speak,
  test,
  wordsOf,
  type Instance,
} from './test'
import { dataOf, firstApp, joinByCall, signInAsOwner, userIdOf } from './team'

const TARGET = '/account/user-info'
const PAGE = `/no-auth?redirect=${encodeURIComponent(TARGET)}`

/** Gives someone access to the team's first app, as an admin would at their own desk. */
async function letIn(owner: Page, own: Instance, email: string): Promise<void> {
  const { id } = await firstApp(owner, own)
  const { items } = await dataOf<{ items: { id: string; key?: string }[] }>(
    await owner.request.get(`/api/v1/apps/${id}/roles`),
  )
  const role_id = items.find(({ key }) => key === 'viewer')!.id
  const user_ids = [await userIdOf(owner, own, email)]
  await dataOf(
    await owner.request.post(`/api/v1/apps/${id}/members`, { data: { user_ids, role_id } }),
  )
}

for (const language of LANGUAGES) {
  const t = wordsOf(language)
  const heading = (page: Page) => page.getByRole('heading', { level: 1 })

  test(
    `access that is granted opens the app by itself, ${language}`,
    long,
    async ({ page: owner, browser, instance }) => {
      const own = await signInAsOwner(owner, instance, 'Gatekeeper')
      const { page, email } = await joinByCall(owner, browser, own, '林一')
      await speak(page, language)
      await page.clock.install()
      await page.goto(TARGET)
      await expectAddress(page, PAGE)
      await expect(heading(page)).toHaveText(t('noAuth.title'))
      await expect(page.getByRole('heading', { name: t('noAuth.teams') })).toBeVisible()
      await letIn(owner, own, email)
      // No clicks: it happens within ten seconds, or when the tab gets focus.
      await page.clock.runFor(10_000)
      await expectAddress(page, TARGET)
      await page.context().close()
    },
  )

  test(
    `an invitation is taken up there, ${language}`,
    long,
    async ({ page: owner, browser, instance }) => {
      const own = await signInAsOwner(owner, instance, 'Quiet')
      const { page, email } = await joinByCall(owner, browser, own, '林一')
      const host = ownAccount(instance, 'Host')
      const context = await browser.newContext({ baseURL: instance.url })
      const hostPage = await context.newPage()
      await signInByCall(hostPage, host)
      await dataOf(
        await hostPage.request.post(`/api/v1/orgs/${host.orgId}/invitations`, {
          data: { emails: [email], role: 'admin' },
        }),
      )
      await context.close()
      await speak(page, language)
      await page.goto(PAGE)
      await page
        .getByRole('button', { name: t('invitations.acceptOf', { name: 'Host的团队' }) })
        .click()
      await expectAddress(page, TARGET)
      await page.context().close()
    },
  )

  test(`a team is left, asked for, and one’s own is made, ${language}`, async ({
    page: owner,
    browser,
    instance,
  }) => {
    test.slow()
    const own = await signInAsOwner(owner, instance, 'Domain')
    const { page } = await joinByCall(owner, browser, own, '林一')
    await speak(page, language)
    await page.goto(PAGE)

    await page.getByRole('button', { name: t('noAuth.leaveOf', { name: 'Domain的团队' }) }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('orgs.do.leave') })
      .click()
    await expect(page.getByRole('heading', { name: t('noAuth.teams') })).toHaveCount(0)
    await expectAddress(page, PAGE)

    // Many teams share this domain; keep only the one just left. The list itself is the server's.
    await page.route('**/current/joinable-orgs', async (route) => {
      const answer = await route.fetch()
      const { data } = (await answer.json()) as { data: { items: { id: string }[] } }
      const items = data.items.filter(({ id }) => id === own.orgId)
      await route.fulfill({ response: answer, json: { data: { ...data, items } } })
    })
    await page.reload()
    const ask = page.getByRole('button', { name: t('noAuth.askOf', { name: 'Domain的团队' }) })
    await ask.click()
    await expect(page.getByText(t('noAuth.asked'))).toBeVisible()
    await expect(ask).toBeDisabled()

    await page.getByRole('button', { name: t('orgs.create') }).click()
    await page.getByRole('dialog').getByLabel(t('field.team'), { exact: true }).fill('自己的团队')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('orgs.create') })
      .click()
    await expectAddress(page, TARGET)
    await page.context().close()
  })
}

test.describe('in light and dark', () => {
  test('the page is accessible and fits a phone', async ({ page, browser, instance }) => {
    const own = await signInAsOwner(page, instance, 'Narrow')
    const lin = await joinByCall(page, browser, own, '林一')
    const account = { ...own.account, email: lin.email }
    await lin.page.context().close()
    await signInByCall(page, { ...own, account })
    await page.goto(PAGE)
    await expect(page.getByRole('heading', { name: '你所在的团队' })).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.setViewportSize({ width: 360, height: 780 })
    await expectToFit(page)
  })
})
