/** One app: its frame, its details, and archiving or deleting it. */
import type { Page } from '@playwright/test'
import { addMember, appPath, openOwnApp } from './app'
import {
  expect,
  expectAccessible,
  expectAccessibleInBothThemes,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  LANGUAGES,
  long,
  speak,
  test,
  walkTo,
  wordsOf,
} from './test'

const PAGES = [
  ['appDetail', '应用详情'],
  ['appMember', '应用成员'],
  ['appAuthority', '应用权限'],
  ['appAuthority/editRole', '自定义角色'],
  ['appSecretKey', '应用密钥'],
] as const

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const banner = (page: Page, name: string) => page.getByRole('region', { name })

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`an app is renamed, described and kept, ${language}`, long, async ({ page, instance }) => {
    await speak(page, language)
    const { own, appId } = await openOwnApp(page, instance, 'Maker')
    await page.goto(appPath(appId, 'appDetail'))
    await expect(heading(page)).toHaveText(t('title.appDetail'))
    const header = page.locator('header').filter({ hasText: t('apps.state.active') })
    await expect(header).toContainText('Default')
    await expect(header).toContainText(t('appSettings.viaTeam'))
    await expect(header.getByRole('link', { name: own.account.organization })).toHaveAttribute(
      'href',
      new RegExp(own.orgId),
    )
    await expect(header.getByRole('link', { name: t('appSettings.toWorkspace') })).toBeVisible()
    await expect(page.locator('code').filter({ hasText: appId })).toBeVisible()
    await expect(page.locator('pre')).toContainText('data-app-key="ck_')

    const name = page.getByLabel(t('appDetail.name'), { exact: true })
    const save = page.getByRole('button', { name: t('common.save') })
    await expect(save).toBeDisabled()
    await name.fill('')
    await name.blur()
    await expect(page.getByText(t('appDetail.nameRequired'))).toBeVisible()
    await name.fill('Checkout')
    await page.getByLabel(t('appDetail.description'), { exact: true }).fill('Where money comes in')
    const zone = page.getByLabel(t('appDetail.timezone'), { exact: true })
    await zone.click()
    await zone.fill('new york')
    await page.locator('.ant-select-item-option').filter({ hasText: 'New_York' }).click()
    await save.click()
    await expect(page.getByRole('status').filter({ hasText: t('common.saved') })).toBeVisible()
    await expect(page.locator('header').filter({ hasText: 'Checkout' })).toBeVisible()

    await page.reload()
    await expect(name).toHaveValue('Checkout')
    await expect(page.getByText('America/New_York').first()).toBeVisible()

    await name.fill('Half a na')
    await page.getByRole('link', { name: t('title.appMember') }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(t('unsaved.text'))
    await dialog.getByRole('button', { name: t('unsaved.leave') }).click()
    await expectAddress(page, appPath(appId, 'appMember'))
  })

  test(`an app is archived and brought back, ${language}`, long, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const { appId } = await openOwnApp(page, instance, 'Tidy')
    await page.goto(appPath(appId, 'appDetail'))
    await page.getByRole('button', { name: t('appDetail.archive.title') }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(t('apps.hit.members'))
    await expectAccessible(page)
    await dialog.getByRole('button', { name: t('apps.archive.confirm'), exact: true }).click()

    const notice = banner(page, t('appSettings.archived'))
    await expect(notice).toBeVisible()
    await expect(page.getByLabel(t('appDetail.name'), { exact: true })).toHaveCount(0)
    await expectAccessible(page)
    await page.goto(appPath(appId, 'appMember'))
    await expect(heading(page)).toHaveText(t('title.appMember'))
    await expect(page.getByRole('button', { name: t('appMember.add') })).toHaveCount(0)
    await page.goto(appPath(appId, 'appAuthority/editRole'))
    await expect(page.getByText(t('role.readOnly'))).toBeVisible()

    await notice.getByRole('button', { name: t('apps.unarchive.confirm') }).click()
    await expect(notice).toHaveCount(0)
    await expect(page.getByLabel(t('role.name'), { exact: true })).toBeVisible()
  })

  test(
    `an app is deleted by its name and restored, ${language}`,
    long,
    async ({ page, instance }) => {
      await speak(page, language)
      const { appId } = await openOwnApp(page, instance, 'Regret')
      await page.goto(appPath(appId, 'appDetail'))
      await page.getByRole('button', { name: t('appDetail.delete.title') }).click()
      const dialog = page.getByRole('dialog')
      const confirm = dialog.getByRole('button', { name: t('apps.delete.confirm'), exact: true })
      await expect(dialog).toContainText(t('apps.hit.keys'))
      await expect(confirm).toBeDisabled()
      await dialog.getByRole('textbox').fill('default')
      await expect(confirm).toBeDisabled()
      await dialog.getByRole('textbox').fill('Default')
      await confirm.click()

      const notice = banner(page, t('appSettings.deleted'))
      await expect(notice.locator('time')).toBeVisible()
      await expectAccessible(page)
      await notice.getByRole('button', { name: t('apps.restore.confirm') }).click()
      await expect(notice).toHaveCount(0)
      await expect(page.getByLabel(t('appDetail.name'), { exact: true })).toHaveValue('Default')
    },
  )

  test(`someone with little access sees little, ${language}`, long, async ({ page, instance }) => {
    const { own, appId } = await openOwnApp(page, instance, 'Owner')
    const viewer = await addMember(page, own, { appId, role: 'viewer', name: 'Onlooker' })
    await speak(viewer, language)
    await viewer.goto(appPath(appId, 'appDetail'))
    const nav = viewer.getByRole('navigation', { name: t('nav.appSettings') })
    await expect(nav.getByRole('link')).toHaveText([t('title.appDetail')])
    await expect(viewer.getByRole('button', { name: t('common.save') })).toHaveCount(0)
    await expect(viewer.getByRole('heading', { name: t('appDetail.danger') })).toHaveCount(0)
    for (const closed of ['appMember', 'appAuthority', 'appAuthority/editRole']) {
      await viewer.goto(appPath(appId, closed))
      await expect(heading(viewer)).toHaveText(t('forbidden.title'))
    }
    await viewer.context().close()
  })

  test(`an app that is not there says so, ${language}`, long, async ({ page, instance }) => {
    await speak(page, language)
    await openOwnApp(page, instance, 'Lost')
    await page.goto(appPath('0198a000-0000-7000-8000-000000000000', 'appDetail'))
    await expect(heading(page)).toHaveText(t('notFound.title'))
    await expectAccessible(page)
  })

  test(
    `a team that asks for a second factor leads to it, ${language}`,
    long,
    async ({ page, instance }) => {
      await speak(page, language)
      const { appId } = await openOwnApp(page, instance, 'Strict')
      const errors = [{ error: 'second factor', code: 'second_factor_required' }]
      await page.route(`**/api/v1/apps/${appId}`, (route) =>
        route.fulfill({ status: 403, json: { message: '', errors } }),
      )
      await page.goto(appPath(appId, 'appDetail'))
      await expect(heading(page)).toHaveText(t('mfa.required'))
      await page.getByRole('button', { name: t('totp.enable') }).click()
      await expect(page.getByRole('dialog', { name: t('totp.title') })).toBeVisible()
    },
  )
}

test('a failure says so, with an id, and can be retried', long, async ({ page, instance }) => {
  const { appId } = await openOwnApp(page, instance, 'Unlucky')
  await page.route(`**/api/v1/apps/${appId}/role`, (route) =>
    route.fulfill({ status: 500, headers: { 'x-request-id': 'req-7' }, body: '' }),
  )
  await page.goto(appPath(appId, 'appDetail'))
  await expect(page.getByRole('alert').first()).toContainText('req-7')
  await page.unroute(`**/api/v1/apps/${appId}/role`)
  await page.getByRole('button', { name: '重试' }).click()
  await expect(heading(page)).toHaveText('应用详情')
})

test.describe('in light and dark', () => {
  test.use({ viewport: { width: 360, height: 780 } })

  test('every page of an app is accessible and fits a phone', async ({ page, instance }) => {
    test.slow()
    const { appId } = await openOwnApp(page, instance, 'Narrow')
    await page.goto('/organization/list')
    await expect(heading(page)).toBeVisible()
    for (const [path, title] of PAGES) {
      await test.step(path, async () => {
        await walkTo(page, appPath(appId, path))
        await expect(heading(page)).toBeVisible()
        await expect(page).toHaveTitle(`${title} · Default-Atrium`)
        await page.waitForLoadState('networkidle')
        await expectAccessibleInBothThemes(page)
        await expectToFit(page)
      })
    }
    await walkTo(page, appPath(appId, 'appDetail'))
    await page.getByRole('button', { name: /^删除用户数据/ }).click()
    await expect(page.getByRole('dialog').getByRole('textbox').first()).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
  })
})
