/** A team's apps through their whole life: created, archived, deleted, and restored. */
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  LANGUAGES,
  long,
  speak,
  test,
  wordsOf,
  type Instance,
} from './test'
import { chooseAction, dataOf, firstApp, joinByCall, row, signInAsOwner } from './team'

type Listed = 'config-app' | 'archived-app' | 'delete-app'
const address = ({ orgId }: Instance, page: Listed) => `/organization/config/${page}?org=${orgId}`

async function open(page: Page, own: Instance, list: Listed): Promise<void> {
  await page.goto(address(own, list))
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

for (const language of LANGUAGES) {
  const t = wordsOf(language)
  const menuOf = (name: string) => t('table.actionsOf', { name })

  test(`an app is made and leads on to its own page, ${language}`, async ({ page, instance }) => {
    await speak(page, language)
    const own = await signInAsOwner(page, instance, 'Maker')
    await open(page, own, 'config-app')
    await expect(row(page, 'Default')).toContainText(t('apps.state.active'))

    await page.getByRole('button', { name: t('apps.create') }).click()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByLabel(t('apps.name'), { exact: true })
    const submit = dialog.getByRole('button', { name: t('apps.createSubmit') })
    await submit.click()
    await expect(dialog.getByText(t('apps.nameRequired'))).toBeVisible()
    await name.fill('Default')
    await submit.click()
    // The name is taken: the server's message appears on the field.
    await expect(name).toHaveAttribute('aria-invalid', 'true')
    await expect(name).toBeFocused()
    await name.fill('官网')
    const zone = dialog.getByLabel(t('account.timezone'), { exact: true })
    await zone.click()
    await zone.fill('berlin')
    await page.locator('.ant-select-item-option').filter({ hasText: 'Europe/Berlin' }).click()
    await dialog.getByLabel(t('apps.description')).fill('对外的网站')
    await submit.click()
    await expectAddress(page, /^\/org-id\/[\w-]+\/app-id\/[\w-]+\/quick-start$/)

    await open(page, own, 'config-app')
    await expect(row(page, '官网')).toContainText('对外的网站')
    await page.getByLabel(t('apps.search')).fill('官')
    await expectAddress(page, `${address(own, 'config-app')}&search=${encodeURIComponent('官')}`)
    await expect(page.getByRole('row')).toHaveCount(2)
    await page.getByLabel(t('apps.search')).fill('nothing like it')
    await expect(page.getByText(t('table.nothingFound'))).toBeVisible()
    await page.getByRole('button', { name: t('table.clear') }).click()
    await expect(page.getByRole('row')).toHaveCount(3)
    await test.step('it opens in another tab by the gestures of any link, and by its menu', async () => {
      const entry = /\/org-id\/[\w-]+\/app-id\/[\w-]+/
      for (const open of [
        () => page.getByRole('link', { name: '官网' }).click({ modifiers: ['ControlOrMeta'] }),
        () => page.getByRole('link', { name: '官网' }).click({ button: 'middle' }),
        () => chooseAction(page, t('table.actionsOf', { name: '官网' }), t('apps.openApart')),
      ]) {
        const opened = page.context().waitForEvent('page')
        await open()
        const tab = await opened
        await expect(tab).toHaveURL(entry)
        await tab.close()
        await expectAddress(page, /\/config-app/)
      }
    })
    await page.getByRole('link', { name: '官网' }).click()
    await expectAddress(page, /\/app-id\/[\w-]+\/quick-start$/)
    await page.getByRole('link', { name: t('workspace.settings') }).click()
    await expectAddress(page, /\/authManagement\/appDetail$/)
    await page.getByRole('link', { name: t('appSettings.toWorkspace') }).click()
    await expectAddress(page, /\/app-id\/[\w-]+\/quick-start$/)
  })

  test(`an app is archived, deleted and brought back, ${language}`, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const own = await signInAsOwner(page, instance, 'Mover')
    const dialog = page.getByRole('dialog')
    await open(page, own, 'config-app')

    await test.step('archived, and back by one click', async () => {
      await chooseAction(page, menuOf('Default'), t('apps.archive.confirm'))
      await expect(dialog).toContainText(t('apps.hit.keys'))
      await dialog.getByRole('button', { name: t('apps.archive.confirm') }).click()
      await expect(page.getByText(t('apps.archive.done', { name: 'Default' }))).toBeVisible()
      await expect(page.getByRole('heading', { name: t('apps.active.none') })).toBeVisible()
      await page.getByRole('button', { name: t('apps.undo') }).click()
      await expect(row(page, 'Default')).toBeVisible()
    })

    await test.step('archived, and back from the list of those', async () => {
      await chooseAction(page, menuOf('Default'), t('apps.archive.confirm'))
      await dialog.getByRole('button', { name: t('apps.archive.confirm') }).click()
      await expect(row(page, 'Default')).toHaveCount(0)
      await page.getByRole('link', { name: t('title.archivedApps') }).click()
      await expectAddress(page, address(own, 'archived-app'))
      await expect(row(page, 'Default')).toContainText(t('apps.state.archived'))
      await chooseAction(page, menuOf('Default'), t('apps.unarchive.confirm'))
      await dialog.getByRole('button', { name: t('apps.unarchive.confirm') }).click()
      await expect(page.getByText(t('apps.unarchive.done', { name: 'Default' }))).toBeVisible()
      await expect(page.getByRole('heading', { name: t('apps.archived.none') })).toBeVisible()
    })

    await test.step('deleted once its name is typed, and restored in time', async () => {
      await page.getByRole('link', { name: t('title.teamApps') }).click()
      await chooseAction(page, menuOf('Default'), t('apps.delete.confirm'))
      const go = dialog.getByRole('button', { name: t('apps.delete.confirm') })
      await expect(go).toBeDisabled()
      const name = dialog.getByLabel(t('danger.type', { name: 'Default' }))
      await name.fill('default')
      await expect(go).toBeDisabled()
      await name.fill('Default')
      await go.click()
      await expect(page.getByText(t('apps.delete.done', { name: 'Default' }))).toBeVisible()

      await page.getByRole('link', { name: t('title.deletedApps') }).click()
      await expectAddress(page, address(own, 'delete-app'))
      await expect(row(page, 'Default').locator('time').last()).toHaveText(/29|30/)
      await expect(page.getByRole('link', { name: 'Default' })).toHaveCount(0)
      await chooseAction(page, menuOf('Default'), t('apps.restore.confirm'))
      await dialog.getByRole('button', { name: t('apps.restore.confirm') }).click()
      await expect(page.getByText(t('apps.restore.done', { name: 'Default' }))).toBeVisible()
      await expect(page.getByRole('heading', { name: t('apps.deleted.none') })).toBeVisible()
      await page.getByRole('link', { name: t('title.teamApps') }).click()
      await expect(row(page, 'Default')).toContainText(t('apps.state.active'))
    })
  })

  test(
    `an app that is being purged cannot be brought back, ${language}`,
    long,
    async ({ page, instance }) => {
      await speak(page, language)
      const own = await signInAsOwner(page, instance, 'Late')
      const app = await firstApp(page, own)
      await dataOf(
        await page.request.delete(`/api/v1/apps/${app.id}`, { data: { name: app.name } }),
      )
      // No test waits thirty days.
      await page.route('**/apps?*status=deleted*', async (route) => {
        const answer = await route.fetch()
        const { data } = (await answer.json()) as { data: { items: object[]; total: number } }
        const items = data.items.map((item) => ({ ...item, purge_started: true }))
        await route.fulfill({ response: answer, json: { data: { ...data, items } } })
      })
      await open(page, own, 'delete-app')
      await expect(row(page, app.name)).toContainText(t('apps.purging'))
      await expect(page.getByRole('button', { name: menuOf(app.name) })).toHaveCount(0)
    },
  )
}

test('whoever may do nothing is offered nothing', long, async ({ page, browser, instance }) => {
  const t = wordsOf('zh-CN')
  const own = await signInAsOwner(page, instance, 'Strict')
  const viewer = await joinByCall(page, browser, own, '看客', { app: 'viewer' })
  await open(viewer.page, own, 'config-app')
  await expect(row(viewer.page, 'Default')).toBeVisible()
  await expect(viewer.page.getByRole('button', { name: t('apps.create') })).toHaveCount(0)
  await viewer.page.getByRole('button', { name: t('table.actionsOf', { name: 'Default' }) }).click()
  await expect(viewer.page.getByRole('menuitem')).toHaveText([
    t('apps.open'),
    t('apps.openApart'),
    t('workspace.settings'),
  ])
  await viewer.page.getByRole('menuitem', { name: t('apps.open'), exact: true }).click()
  await expectAddress(viewer.page, new RegExp(`^/org-id/${own.orgId}/app-id/`))
  await viewer.page.context().close()
})

test.describe('in light and dark', () => {
  test('the lists and dialogs are accessible and fit a phone', async ({ page, instance }) => {
    test.slow()
    const t = wordsOf('zh-CN')
    const own = await signInAsOwner(page, instance, 'Narrow')
    await open(page, own, 'archived-app')
    await expect(page.getByRole('heading', { name: t('apps.archived.none') })).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await open(page, own, 'config-app')
    await expect(row(page, 'Default')).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.getByRole('button', { name: t('apps.create') }).click()
    await expect(page.getByRole('dialog').getByLabel(t('apps.name'))).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.keyboard.press('Escape')
    await chooseAction(page, t('table.actionsOf', { name: 'Default' }), t('apps.delete.confirm'))
    await expect(page.getByRole('dialog').locator('dd').first()).toBeVisible()
    await expectAccessibleInOneTheme(page)

    await page.setViewportSize({ width: 360, height: 780 })
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('common.cancel') })
      .click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Default' })).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
  })
})
