/** An app's roles: the matrix, the editor, and what happens to members when a role is deleted. */
import type { Page } from '@playwright/test'
import { addMember, addTeammate, appPath, makeRole, openOwnApp, roleId } from './app'
import {
  expect,
  expectAccessible,
  expectAddress,
  LANGUAGES,
  long,
  speak,
  test,
  wordsOf,
} from './test'

const BUILTIN = 4

const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`the matrix shows and finds permissions, ${language}`, long, async ({ page, instance }) => {
    await speak(page, language)
    const { appId } = await openOwnApp(page, instance, 'Reader')
    await page.goto(appPath(appId, 'appAuthority'))
    const matrix = page.getByRole('region', { name: t('role.matrix') }).getByRole('table')
    await expect(matrix.getByRole('columnheader')).toHaveCount(1 + BUILTIN)
    await expect(matrix.getByText('app:delete', { exact: true })).toBeVisible()

    await page.getByLabel(t('role.search')).fill('app:del')
    await expectAddress(page, `${appPath(appId, 'appAuthority')}?search=app%3Adel`)
    const cells = matrix.getByRole('row').filter({ hasText: 'app:delete' }).getByRole('cell')
    await expect(cells).toHaveText([
      t('role.has'),
      ...Array<string>(3).fill(`–${t('role.hasNot')}`),
    ])
    await expect(matrix.getByText('app:view', { exact: true })).toHaveCount(0)
    await page.getByLabel(t('role.search')).fill('no such thing')
    await expect(page.getByText(t('role.nothingFound'))).toBeVisible()
    await page.getByRole('button', { name: t('table.clear') }).click()
    await expect(matrix.getByText('app:view', { exact: true })).toBeVisible()
  })

  test(`a role is copied, edited and deleted, ${language}`, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const { own, appId } = await openOwnApp(page, instance, 'Keeper')
    await page.goto(appPath(appId, 'appAuthority'))
    const name = page.getByLabel(t('role.name'), { exact: true })
    const box = (code: string) => page.getByRole('checkbox', { name: new RegExp(code) })

    await test.step('from a built-in one', async () => {
      const copies = page.getByRole('link', { name: new RegExp(`^${t('role.copy')}`) })
      await expect(copies).toHaveCount(BUILTIN)
      // The last built-in role can only view.
      await copies.last().click()
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('role.newTitle'))
      await expect(box('app:view')).toBeChecked()
      await expect(box('app:view')).toBeDisabled()
      await expect(box('dashboard:view')).toBeChecked()
      await expect(box('key:view')).not.toBeChecked()
      await name.fill('')
      await page.getByRole('button', { name: t('role.create') }).click()
      await expect(page.getByText(t('role.nameRequired'))).toBeVisible()
      await name.fill('Support')
      await page.getByRole('button', { name: t('role.create') }).click()
      await expectAddress(page, appPath(appId, 'appAuthority'))
      await expect(page.getByRole('status').filter({ hasText: 'Support' })).toHaveText(
        t('role.saved', { name: 'Support' }),
      )
    })

    await test.step('a name that is taken', async () => {
      await page.getByRole('link', { name: t('role.create') }).click()
      await name.fill('Support')
      await page.getByRole('button', { name: t('role.create') }).click()
      await expect(name).toHaveAttribute('aria-invalid', 'true')
      await page.getByRole('link', { name: t('common.cancel') }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: t('unsaved.leave') })
        .click()
      await expectAddress(page, appPath(appId, 'appAuthority'))
    })

    await test.step('held by someone', async () => {
      await addTeammate(page, own, { appId, name: 'Ann' })
      await page.goto(appPath(appId, 'appMember'))
      await page.getByRole('button', { name: t('appMember.add') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('checkbox', { name: /Ann/ }).check()
      await dialog.getByLabel(t('appMember.role'), { exact: true }).click()
      await page.locator('.ant-select-item-option').filter({ hasText: 'Support' }).click()
      await dialog.getByRole('button', { name: t('appMember.addCount', { count: 1 }) }).click()
      await expect(dialog).toHaveCount(0)
    })

    await test.step('edited, with a look at who is affected', async () => {
      await page.goto(appPath(appId, 'appAuthority'))
      await row(page, 'Support')
        .getByRole('link', { name: new RegExp(`^${t('role.edit')}`) })
        .click()
      const preview = page.getByRole('region', { name: t('role.preview') })
      await expect(preview).toContainText('Ann')
      await expect(preview).toContainText(t('role.previewNone'))
      await box('dashboard:view').uncheck()
      await box('key:view').check()
      await expect(preview).toContainText(t('role.gained'))
      await expect(preview).toContainText('key:view')
      await expect(preview).toContainText(t('role.lost'))
      await expect(preview).toContainText('dashboard:view')
      await expectAccessible(page)
      await page.getByRole('button', { name: t('common.save') }).click()
      await expectAddress(page, appPath(appId, 'appAuthority'))
    })

    await test.step('deleted, with another in its place', async () => {
      await row(page, 'Support')
        .getByRole('button', { name: new RegExp(`^${t('role.delete')}`) })
        .click()
      const dialog = page.getByRole('dialog')
      await expect(dialog).toContainText(t('role.deleteHeld', { count: 1 }))
      await dialog.getByRole('button', { name: t('role.delete'), exact: true }).click()
      await expect(dialog.getByText(t('role.replacementRequired'), { exact: true })).toBeVisible()
      await dialog.getByLabel(t('role.replacement'), { exact: true }).click()
      await page.locator('.ant-select-item-option').last().click()
      await expectAccessible(page)
      await dialog.getByRole('button', { name: t('role.delete'), exact: true }).click()
      await expect(dialog).toHaveCount(0)
      await expect(row(page, 'Support')).toHaveCount(0)
    })
  })

  test(
    `a group is chosen at once, built-in roles stay, ${language}`,
    long,
    async ({ page, instance }) => {
      await speak(page, language)
      const { appId } = await openOwnApp(page, instance, 'Grouper')
      await page.goto(appPath(appId, 'appAuthority/editRole'))
      const keys = page.getByRole('group').filter({ hasText: 'key:reveal' })
      const all = keys.getByRole('checkbox').first()
      await all.check()
      for (const code of ['key:view', 'key:reveal', 'key:manage']) {
        await expect(keys.getByRole('checkbox', { name: new RegExp(code) })).toBeChecked()
      }
      await keys.getByRole('checkbox', { name: /key:view/ }).uncheck()
      await expect(all).not.toBeChecked()
      await expect(page.getByText(t('role.chosenCount', { count: 3 }))).toBeVisible()

      // Switching the language keeps unsaved input.
      await page.getByLabel(t('role.name'), { exact: true }).fill('Half a role')
      const [here, other] = language === 'zh-CN' ? ['中文', 'English'] : ['English', '中文']
      await page.getByRole('radio', { name: other }).click()
      await expect(page.getByLabel(t('role.name'), { exact: true })).toHaveCount(0)
      await page.getByRole('radio', { name: here }).click()
      await expect(page.getByLabel(t('role.name'), { exact: true })).toHaveValue('Half a role')

      const builtin = await roleId(page, appId, 'admin')
      // Inside the console this would be confirmed in a dialog; loading a new document can't be.
      page.on('dialog', (dialog) => void dialog.accept())
      await page.goto(`${appPath(appId, 'appAuthority/editRole')}?role=${builtin}`)
      await expect(page.getByText(t('role.builtinFixed'))).toBeVisible()
      await page.getByRole('link', { name: t('role.copyThis') }).click()
      await expect(page.getByLabel(t('role.name'), { exact: true })).not.toHaveValue('')
    },
  )

  test(`nobody hands out more than they hold, ${language}`, long, async ({ page, instance }) => {
    test.slow()
    const { own, appId } = await openOwnApp(page, instance, 'Chief')
    const permissions = ['app:view', 'member:view', 'member:manage', 'role:view', 'role:manage']
    await makeRole(page, appId, { name: 'Lead', permissions })
    await makeRole(page, appId, { name: 'Keyring', permissions: ['app:view', 'key:view'] })
    await addTeammate(page, own, { appId, name: 'Ann', role: 'viewer' })
    await addTeammate(page, own, { appId, name: 'Lou', role: 'Lead' })
    const lead = await addMember(page, own, { appId, name: 'Kim', role: 'Lead' })
    await speak(lead, language)

    await lead.goto(appPath(appId, 'appAuthority/editRole'))
    const box = (code: string) => lead.getByRole('checkbox', { name: new RegExp(code) })
    await expect(box('key:view')).toBeDisabled()
    await expect(lead.getByText(t('role.lock.beyond')).first()).toBeVisible()
    await expect(box('member:view')).toBeEnabled()

    await lead.goto(appPath(appId, 'appAuthority'))
    const named = (action: string, name: string) => t('role.actionOn', { action, name })
    await expect(lead.getByRole('link', { name: named(t('role.edit'), 'Lead') })).toBeVisible()
    await expect(lead.getByRole('link', { name: named(t('role.copy'), 'Keyring') })).toBeVisible()
    await expect(lead.getByRole('link', { name: named(t('role.edit'), 'Keyring') })).toHaveCount(0)

    await lead.goto(appPath(appId, 'appMember'))
    // Viewers see the dashboard, but this role doesn't.
    await expect(row(lead, 'Ann').getByRole('combobox')).toHaveCount(0)
    await row(lead, 'Lou').getByRole('combobox').click()
    await expect(
      lead.locator('.ant-select-item-option-disabled').filter({ hasText: 'Keyring' }),
    ).toBeVisible()
    await lead.context().close()
  })
}
