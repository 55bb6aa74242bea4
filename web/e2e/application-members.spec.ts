/** An app's members: adding, assigning roles, removing, and explaining their access. */
import type { Page } from '@playwright/test'
import { addTeammate, appPath, openOwnApp } from './app'
import {
  addressOf,
  expect,
  expectAccessible,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  LANGUAGES,
  long,
  speak,
  test,
  wordsOf,
  type Language,
} from './test'

const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
const option = (page: Page) => page.locator('.ant-select-dropdown:visible .ant-select-item-option')

async function addByDialog(page: Page, language: Language, names: string[]): Promise<void> {
  const t = wordsOf(language)
  await page
    .getByRole('button', { name: t('appMember.add') })
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  for (const name of names) await dialog.getByRole('checkbox', { name }).check()
  await dialog.getByLabel(t('appMember.role'), { exact: true }).click()
  // The last built-in role is read-only.
  await option(page).nth(3).click()
  await dialog
    .getByRole('button', { name: t('appMember.addCount', { count: names.length }) })
    .click()
  await expect(dialog).toHaveCount(0)
}

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`members are added, changed and removed, ${language}`, long, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const { own, appId } = await openOwnApp(page, instance, 'Host')
    for (const name of ['Ann', 'Bob', 'Cid']) await addTeammate(page, own, { appId, name })
    await page.goto(appPath(appId, 'appMember'))
    const me = row(page, 'Host')
    await expect(me).toContainText(t('appMember.via.owner'))
    await expect(me.getByRole('checkbox')).toBeDisabled()
    await expect(me.getByRole('combobox')).toHaveCount(0)

    await test.step('added', async () => {
      await page
        .getByRole('button', { name: t('appMember.add') })
        .first()
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(t('appMember.searchTeam')).fill('bob')
      await expect(dialog.getByRole('checkbox')).toHaveCount(1)
      await expectAccessible(page)
      await dialog.getByRole('button', { name: t('common.cancel') }).click()
      await addByDialog(page, language, ['Ann', 'Bob', 'Cid'])
      await expect(page.getByRole('status').filter({ hasText: '3' }).first()).toHaveText(
        t('appMember.addedCount', { count: 3 }),
      )
      await expect(row(page, 'Cid')).toBeVisible()
    })

    await test.step('changed in the list, and taken back', async () => {
      const role = row(page, 'Ann').getByRole('combobox')
      await role.click()
      await option(page).first().click()
      const said = page.getByRole('status').filter({ hasText: 'Ann' })
      await expect(said).toBeVisible()
      await said.getByRole('button', { name: t('appMember.undo') }).click()
      await expect(said.getByRole('button')).toHaveCount(0)
      // The message appears again, without Undo. Until then the list below moves.
      await expect(said).toBeVisible()
    })

    await test.step('several at once', async () => {
      await row(page, 'Ann').getByRole('checkbox').check()
      await row(page, 'Bob').getByRole('checkbox').check()
      const bulk = page.getByRole('group', { name: t('appMember.bulk') })
      await expect(bulk).toContainText(t('appMember.chosen', { count: 2 }))
      await bulk.getByRole('button', { name: t('appMember.changeRole') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(t('appMember.newRole'), { exact: true }).click()
      await option(page).nth(1).click()
      await dialog.getByRole('button', { name: t('appMember.changeRole') }).click()
      await expect(dialog).toHaveCount(0)
      await expect(page.getByText(t('appMember.rolesChanged', { count: 2 }))).toBeVisible()
    })

    await test.step('found by name, role and order, in the address', async () => {
      await page.getByLabel(t('appMember.search')).fill('cid')
      await expectAddress(page, `${appPath(appId, 'appMember')}?search=cid`)
      await expect(row(page, 'Ann')).toHaveCount(0)
      await page.getByLabel(t('appMember.search')).fill('')
      await expect(row(page, 'Ann')).toBeVisible()
      await page.getByLabel(t('appMember.roleFilter')).click()
      await option(page).nth(1).click()
      await expect(row(page, 'Cid')).toHaveCount(0)
      await expect(row(page, 'Bob')).toBeVisible()
      expect(addressOf(page)).toContain('role_id=')
      await page.goto(`${appPath(appId, 'appMember')}?sort=name&order=desc`)
      const names = page.getByRole('rowheader')
      await expect(names).toHaveText([/Cid/, /Bob/, /Ann/, /Host/])
    })

    await test.step('removed', async () => {
      await row(page, 'Cid')
        .getByRole('button', { name: t('appMember.removeName', { name: 'Cid' }) })
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: t('appMember.remove'), exact: true }).click()
      await expect(row(page, 'Cid')).toHaveCount(0)
      await row(page, 'Ann').getByRole('checkbox').check()
      await row(page, 'Bob').getByRole('checkbox').check()
      await page.getByRole('button', { name: t('appMember.removeChosen') }).click()
      await dialog.getByRole('button', { name: t('appMember.remove'), exact: true }).click()
      await expect(row(page, 'Ann')).toHaveCount(0)
      await expect(row(page, 'Host')).toBeVisible()
    })
  })

  test(
    `why someone may do something is explained, ${language}`,
    long,
    async ({ page, instance }) => {
      test.slow()
      await speak(page, language)
      const { own, appId } = await openOwnApp(page, instance, 'Asker')
      await addTeammate(page, own, { appId, name: 'Ann' })
      await page.goto(appPath(appId, 'appMember'))
      await addByDialog(page, language, ['Ann'])
      await row(page, 'Ann')
        .getByRole('button', { name: t('access.whyOf', { name: 'Ann' }) })
        .click()
      const drawer = page.getByRole('dialog')
      const item = (code: string) => drawer.getByRole('listitem').filter({ hasText: code })
      await expect(item('app:view')).toContainText(t('access.held'))
      await expect(item('app:delete')).toContainText(t('access.notHeld'))
      await expectAccessible(page)
      await drawer.getByLabel(t('access.search')).fill('key:')
      await expect(drawer.getByRole('listitem')).toHaveCount(3)

      // The URL opens it again.
      await page.reload()
      await expect(drawer).toContainText('Ann')
      await drawer.getByRole('button', { name: t('common.close') }).click()
      await expect(drawer).toHaveCount(0)
      await expectAddress(page, appPath(appId, 'appMember'))

      await row(page, 'Asker')
        .getByRole('button', { name: t('access.whyOf', { name: 'Asker' }) })
        .click()
      await expect(drawer.getByText(t('access.notHeld'))).toHaveCount(0)
    },
  )
}

test.describe('in light and dark', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('members are cards on a phone', async ({ page, instance }) => {
    const { own, appId } = await openOwnApp(page, instance, 'Pocket')
    await addTeammate(page, own, { appId, name: 'Ann' })
    await page.goto(appPath(appId, 'appMember'))
    await addByDialog(page, 'zh-CN', ['Ann'])
    const card = page.getByRole('listitem').filter({ hasText: 'Ann' })
    await expect(card.getByRole('combobox')).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
    await card.getByRole('button', { name: 'Ann 的权限来源' }).click()
    await expect(page.getByRole('dialog').getByText('app:view')).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
  })
})
