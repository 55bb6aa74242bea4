/** A failed call is reported at the top right of whatever screen made it. */
import type { Page } from '@playwright/test'
import { appPath, openOwnApp } from './app'
import { expect, expectAddress, long, passTime, test, walkTo } from './test'
import { entryOf } from './workspace'

const notices = (page: Page) => page.locator('.failure-notice')

/** Makes one of the page's calls fail, as a server in trouble would. */
async function breakCall(page: Page, call: string) {
  await page.route(call, (route) =>
    route.fulfill({
      status: 500,
      headers: { 'x-request-id': 'req-9' },
      json: { message: '服务器内部错误', errors: [] },
    }),
  )
}

test('ten screens tell of a call that failed, once each', async ({ page, instance }) => {
  const app = await openOwnApp(page, instance, 'Broken')
  const { own, appId } = app
  const team = `?org=${own.orgId}`
  const screens: [address: string, call: string][] = [
    ['/organization/list', '**/api/v1/orgs?*'],
    [`/organization/config/member${team}`, '**/api/v1/orgs/*/members?*'],
    [`/organization/config/config-app${team}`, '**/api/v1/orgs/*/apps?*'],
    [`/organization/config/archived-app${team}`, '**/api/v1/orgs/*/apps?*'],
    [`/organization/config/delete-app${team}`, '**/api/v1/orgs/*/apps?*'],
    // Before the members, whose page asks for the roles too.
    [appPath(appId, 'appAuthority'), '**/api/v1/apps/*/roles*'],
    [appPath(appId, 'appMember'), '**/api/v1/apps/*/members?*'],
    [appPath(appId, 'appSecretKey'), '**/api/v1/apps/*/access-keys*'],
    [`/data-dashboard${team}`, '**/api/v1/orgs/*/data-overall'],
    [`${entryOf(app)}/events`, '**/api/v1/apps/*/events?*'],
  ]
  await page.goto('/account/user-info')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  for (const [address, call] of screens) {
    await breakCall(page, call)
    await walkTo(page, address)
    await expect(notices(page), address).toHaveCount(1)
    await expect(notices(page)).toContainText('服务器内部错误')
    await expect(notices(page)).toContainText('req-9')
    await notices(page).getByRole('button', { name: '关闭' }).click()
    await expect(notices(page)).toHaveCount(0)
    await page.unroute(call)
  }
})

test(
  'a change that fails is told, and what a form shows at its field is not told twice',
  long,
  async ({ page, instance }) => {
    const { appId } = await openOwnApp(page, instance, 'Unsaved')
    await page.goto('/account/user-info')
    await breakCall(page, '**/api/v1/current/profile')
    await page.getByLabel('姓名').fill('新名字')
    await page.getByRole('button', { name: '保存' }).first().click()
    await expect(notices(page)).toContainText('服务器内部错误')

    await page.goto(appPath(appId, 'appDetail'))
    await page.route(`**/api/v1/apps/${appId}`, (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({
            status: 422,
            json: {
              message: '',
              errors: [{ error: '名称已被使用', code: 'name_taken', field: 'name' }],
            },
          })
        : route.fallback(),
    )
    await page.getByLabel('应用名称').fill('Taken')
    await page.getByRole('button', { name: '保存' }).first().click()
    await expect(page.getByText('名称已被使用')).toHaveCount(1)
    await expect(notices(page)).toHaveCount(0)
  },
)

test(
  'a session that ended is told of on the sign-in page, also where only a poll noticed',
  long,
  async ({ page, instance }) => {
    await page.clock.install()
    await openOwnApp(page, instance, 'Ended')
    await page.goto('/organization/list')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.context().clearCookies()
    // Without any interaction, the bell asks once a minute after its last answer.
    await passTime(page, 61_000, () =>
      expectAddress(page, `/login?redirect=${encodeURIComponent('/organization/list')}`),
    )
    await expect(notices(page)).toHaveCount(1)
  },
)
