/**
 * The list of teams: creating, renaming, transferring, leaving, deleting, and invitations at the
 * top.
 */
import {
  expect,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  LANGUAGES,
  ownAccount,
  signInByCall,
  speak,
  test,
  wordsOf,
} from './test'
import { chooseAction, dataOf, inviteByCall, joinByCall, row, signInAsOwner } from './team'

const PAGE = '/organization/list'

for (const language of LANGUAGES) {
  const t = wordsOf(language)
  const menuOf = (name: string) => t('table.actionsOf', { name })

  test(`a team from its making to its end, ${language}`, async ({ page, instance }) => {
    await speak(page, language)
    await signInAsOwner(page, instance, 'Founder')
    await page.goto(PAGE)
    await expect(row(page, 'Founder的团队')).toContainText(t('org.role.owner'))

    await page.getByRole('button', { name: t('orgs.create') }).click()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByLabel(t('field.team'), { exact: true })
    await expect(name).toBeFocused()
    await name.press('Enter')
    await expect(dialog.getByText(t('field.team.required'))).toBeVisible()
    await name.fill('二号团队')
    await name.press('Enter')
    await expectAddress(page, /^\/organization\/config\/config-app\?org=[\w-]+$/)
    await expect(page.getByRole('heading', { name: t('apps.active.none') })).toBeVisible()

    await page.goto(PAGE)
    await chooseAction(page, menuOf('二号团队'), t('orgs.do.rename'))
    await name.fill('三号团队')
    await dialog.getByRole('button', { name: t('common.save') }).click()
    await expect(row(page, '三号团队')).toBeVisible()

    await test.step('the only owner cannot leave', async () => {
      await chooseAction(page, menuOf('三号团队'), t('orgs.do.leave'))
      await dialog.getByRole('button', { name: t('orgs.do.leave') }).click()
      await expect(dialog.getByRole('alert')).toBeVisible()
      await dialog.getByRole('button', { name: t('common.cancel') }).click()
    })

    await test.step('a team with apps cannot be deleted, and it says what to do', async () => {
      await chooseAction(page, menuOf('Founder的团队'), t('orgs.do.delete'))
      await expect(dialog).toContainText(t('orgs.deleteBlockedText'))
      await dialog
        .getByRole('button', { name: t('common.close') })
        .last()
        .click()
    })

    await test.step('one without is deleted once its name is typed', async () => {
      await chooseAction(page, menuOf('三号团队'), t('orgs.do.delete'))
      const go = dialog.getByRole('button', { name: t('deletion.submit') })
      await expect(go).toBeDisabled()
      await dialog.getByLabel(t('danger.type', { name: '三号团队' })).fill('三号团队')
      await go.click()
      await expect(page.getByText(t('orgs.deleted', { name: '三号团队' }))).toBeVisible()
      await expect(row(page, '三号团队')).toHaveCount(0)
    })
  })

  test(`invitations are taken up or turned down, ${language}`, async ({
    page,
    browser,
    instance,
  }) => {
    const guest = ownAccount(instance, 'Guest')
    const hosts = ['Host', 'Stranger'].map((name) => ownAccount(instance, name))
    for (const host of hosts) {
      const context = await browser.newContext({ baseURL: instance.url })
      const hostPage = await context.newPage()
      await signInByCall(hostPage, host)
      await dataOf(
        await hostPage.request.post(`/api/v1/orgs/${host.orgId}/invitations`, {
          data: { emails: [guest.account.email], role: 'admin' },
        }),
      )
      await context.close()
    }
    await speak(page, language)
    await signInByCall(page, guest)
    await page.goto(PAGE)
    const invitations = page.getByRole('region', { name: t('invitations.mine') })
    await expect(invitations.getByRole('listitem')).toHaveCount(2)
    await expect(invitations).toContainText(
      t('invitations.by', { person: 'Host', role: t('org.role.admin') }),
    )
    await page
      .getByRole('button', { name: t('invitations.declineOf', { name: 'Stranger的团队' }) })
      .click()
    await expect(invitations.getByRole('listitem')).toHaveCount(1)
    await page
      .getByRole('button', { name: t('invitations.acceptOf', { name: 'Host的团队' }) })
      .click()
    await expect(page.getByText(t('orgs.joined', { name: 'Host的团队' }))).toBeVisible()
    await expect(row(page, 'Host的团队')).toContainText(t('org.role.admin'))
    await expect(invitations).toHaveCount(0)
    await expect(row(page, 'Stranger的团队')).toHaveCount(0)
  })

  test(`a team is handed over, and then left, ${language}`, async ({ page, browser, instance }) => {
    await speak(page, language)
    const own = await signInAsOwner(page, instance, 'Leaver')
    const heir = await joinByCall(page, browser, own, '继任者')
    await joinByCall(page, browser, own, '旁人').then((other) => other.page.context().close())
    await page.goto(PAGE)
    await chooseAction(page, menuOf('Leaver的团队'), t('orgs.do.transfer'))
    const dialog = page.getByRole('dialog')
    const go = dialog.getByRole('button', { name: t('orgs.do.transfer') })
    await expect(go).toBeDisabled()
    const picker = dialog.getByLabel(t('orgs.newOwner'))
    await picker.click()
    await picker.fill('继任')
    const options = page.locator('.ant-select-item-option')
    await expect(options).toHaveCount(1)
    await options.click()
    await go.click()
    await expect(
      page.getByText(t('orgs.transferred', { name: 'Leaver的团队', person: '继任者' })),
    ).toBeVisible()
    await expect(row(page, 'Leaver的团队')).toContainText(t('org.role.admin'))

    await chooseAction(page, menuOf('Leaver的团队'), t('orgs.do.leave'))
    await dialog.getByRole('button', { name: t('orgs.do.leave') }).click()
    // With no team left, the next page says so.
    await expect(page.getByText(t('orgs.left', { name: 'Leaver的团队' }))).toBeVisible()
    await expect(page.getByRole('heading', { name: t('org.none') })).toBeVisible()
    await page.goto('/data-dashboard')
    await expectAddress(page, /^\/no-auth/)
    await heir.page.context().close()
  })
}

test.describe('in light and dark', () => {
  test('the list and its dialogs are accessible and fit a phone', async ({
    page,
    browser,
    instance,
  }) => {
    test.slow()
    const t = wordsOf('zh-CN')
    const own = await signInAsOwner(page, instance, 'Narrow')
    const host = ownAccount(instance, 'Host')
    const context = await browser.newContext({ baseURL: instance.url })
    const hostPage = await context.newPage()
    await signInByCall(hostPage, host)
    await dataOf(
      await hostPage.request.post(`/api/v1/orgs/${host.orgId}/invitations`, {
        data: { emails: [own.account.email], role: 'member' },
      }),
    )
    await context.close()
    await inviteByCall(page, own)
    await page.goto(PAGE)
    await expect(row(page, 'Narrow的团队')).toBeVisible()
    await expect(page.getByRole('region', { name: t('invitations.mine') })).toBeVisible()
    await expectAccessibleInOneTheme(page)

    await page.getByRole('button', { name: t('table.actionsOf', { name: 'Narrow的团队' }) }).click()
    await expect(page.getByRole('menuitem', { name: t('orgs.do.transfer') })).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.getByRole('menuitem', { name: t('orgs.do.transfer') }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.keyboard.press('Escape')

    await page.setViewportSize({ width: 360, height: 780 })
    await expect(page.getByRole('listitem').filter({ hasText: 'Narrow的团队' })).toBeVisible()
    await expect(page.getByRole('table')).toHaveCount(0)
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
  })
})
