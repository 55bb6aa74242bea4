/** An app's keys: reset without an outage, created, managed, and deleted. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { addMember, appPath, makeRole, openOwnApp } from './app'
import { chooseAction, row } from './team'
import {
  expect,
  expectAccessible,
  expectAccessibleInOneTheme,
  expectToFit,
  LANGUAGES,
  long,
  speak,
  test,
  wordsOf,
  type Language,
} from './test'

const openKeys = (page: Page, appId: string) => page.goto(appPath(appId, 'appSecretKey'))
const dialog = (page: Page) => page.getByRole('dialog')

/** Confirms that the value shown only once has been saved. */
async function confirmStored(page: Page, language: Language): Promise<void> {
  const t = wordsOf(language)
  const done = dialog(page).getByRole('button', { name: t('recovery.done') })
  await expect(done).toBeDisabled()
  await page.keyboard.press('Escape')
  await dialog(page)
    .getByRole('checkbox', { name: t('keys.stored') })
    .check()
  await done.click()
  await expect(dialog(page)).toHaveCount(0)
}

async function startKey(page: Page, language: Language, name: string): Promise<void> {
  const t = wordsOf(language)
  await page.getByRole('button', { name: t('accessKey.create') }).click()
  await dialog(page)
    .getByRole('textbox', { name: t('accessKey.name') })
    .fill(name)
}

const submitKey = (page: Page, language: Language) =>
  dialog(page)
    .getByRole('button', { name: wordsOf(language)('accessKey.createSubmit'), exact: true })
    .click()

for (const language of LANGUAGES) {
  const t = wordsOf(language)
  const key = (page: Page, kind: 'collect' | 'query') =>
    page.getByRole('article', { name: t(`keys.kind.${kind}`) })
  const act = (page: Page, name: string, deed: string) =>
    chooseAction(page, t('table.actionsOf', { name }), t(`accessKey.do.${deed}`))

  test(`API keys are reset, and the old values go when they may, ${language}`, async ({
    page,
    instance,
  }) => {
    test.slow()
    await speak(page, language)
    const { appId } = await openOwnApp(page, instance, 'Rotator')
    await openKeys(page, appId)
    await expect(key(page, 'collect').locator('code')).toHaveText(/^ck_.{32}$/)
    await expect(key(page, 'query').locator('code')).toHaveText(/^qk_.+….+$/)
    await expect(key(page, 'query').getByRole('button')).toHaveCount(0)
    const before = await key(page, 'collect').locator('code').textContent()
    await expectAccessible(page)

    await test.step('both, with a day of grace', async () => {
      await page.getByRole('button', { name: t('keys.reset') }).click()
      const reset = dialog(page).getByRole('button', { name: t('keys.resetSubmit'), exact: true })
      await reset.click()
      await expect(dialog(page)).toContainText(t('keys.resetWhichRequired'))
      for (const kind of ['collect', 'query']) {
        await dialog(page)
          .getByRole('checkbox', { name: t(`keys.kind.${kind}`) })
          .check()
      }
      await dialog(page)
        .getByRole('radio', { name: t('keys.grace.0'), exact: true })
        .check()
      await expect(dialog(page)).toContainText(t('keys.graceNone'))
      await dialog(page)
        .getByRole('radio', { name: t('keys.grace.24'), exact: true })
        .check()
      await expect(dialog(page)).toContainText(/\(Asia\/Shanghai\)|\(UTC\)/)
      await expectAccessible(page)
      await reset.click()
    })

    const values = dialog(page).locator('code')
    await expect(values).toHaveText([/^ck_.{32}$/, /^qk_.{43}$/])
    const after = await values.first().textContent()
    expect(after).not.toBe(before)
    await expectAccessible(page)
    await confirmStored(page, language)
    await expect(page.getByText(t('keys.resetDone'))).toBeVisible()
    await expect(key(page, 'collect').locator('code')).toHaveText(after!)
    await expect(key(page, 'query').locator('code')).toHaveText(/….+$/)
    for (const kind of ['collect', 'query'] as const) {
      await expect(key(page, kind)).toContainText(t('keys.previousNever'))
    }
    await expectAccessible(page)

    await test.step('the old one is dropped', async () => {
      await page.getByRole('button', { name: t('keys.dropOf.collect') }).click()
      await expect(dialog(page)).toContainText(t('keys.dropText'))
      await dialog(page)
        .getByRole('button', { name: t('keys.dropConfirm') })
        .click()
      await expect(page.getByText(t('keys.dropped'))).toBeVisible()
      await expect(key(page, 'collect').getByText(t('keys.previous'))).toHaveCount(0)
      await expect(key(page, 'query').getByText(t('keys.previous'))).toBeVisible()
    })

    await page.goto(appPath(appId, 'appDetail'))
    await expect(page.locator('pre')).toContainText(`data-app-key="${after}"`)
  })

  test(
    `an access key is made, changed, paused and deleted, ${language}`,
    long,
    async ({ page, instance }) => {
      test.slow()
      await speak(page, language)
      const { appId } = await openOwnApp(page, instance, 'Signer')
      await openKeys(page, appId)
      await expect(page.getByRole('heading', { name: t('accessKey.empty') })).toBeVisible()
      await expectAccessible(page)

      await test.step('made, its secret shown once', async () => {
        await startKey(page, language, 'Billing')
        await dialog(page)
          .getByRole('radio', { name: t('accessKey.expiry.90') })
          .check()
        await expectAccessible(page)
        await submitKey(page, language)
        await expect(dialog(page).locator('code')).toHaveCount(2)
        const [id, secret] = await dialog(page).locator('code').allTextContents()
        expect(id).toMatch(/^AK\w{20}$/)
        expect(secret!.length).toBeGreaterThanOrEqual(40)
        await expectAccessible(page)
        const arriving = page.waitForEvent('download')
        await dialog(page)
          .getByRole('button', { name: t('accessKey.downloadEnv') })
          .click()
        const file = readFileSync(await (await arriving).path(), 'utf8')
        expect(file).toContain(`ATRIUM_ACCESS_KEY_ID=${id}\n`)
        expect(file).toContain(`ATRIUM_ACCESS_KEY_SECRET=${secret}\n`)
        await confirmStored(page, language)
        await expect(row(page, 'Billing')).toContainText(id!)
        await expect(row(page, 'Billing')).toContainText(t('accessKey.state.active'))
        await expect(page.getByText(secret!)).toHaveCount(0)
      })

      await test.step('a name only once', async () => {
        await startKey(page, language, 'billing')
        await submitKey(page, language)
        await expect(
          dialog(page).getByRole('textbox', { name: t('accessKey.name') }),
        ).toHaveAttribute('aria-invalid', 'true')
        await dialog(page)
          .getByRole('button', { name: t('common.cancel') })
          .click()
      })

      await test.step('renamed, and given another end', async () => {
        await act(page, 'Billing', 'rename')
        await dialog(page).getByRole('textbox').fill('Invoices')
        await dialog(page)
          .getByRole('button', { name: t('common.save') })
          .click()
        await expect(page.getByText(t('accessKey.renamed', { name: 'Invoices' }))).toBeVisible()

        await act(page, 'Invoices', 'expiry')
        const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
        await dialog(page).getByLabel(t('accessKey.lastDay')).fill(tomorrow)
        await dialog(page)
          .getByRole('button', { name: t('common.save') })
          .click()
        await expect(row(page, 'Invoices')).toContainText(t('accessKey.state.soon'))
        await act(page, 'Invoices', 'expiry')
        await dialog(page)
          .getByRole('radio', { name: t('accessKey.expiry.never'), exact: true })
          .check()
        await dialog(page)
          .getByRole('button', { name: t('common.save') })
          .click()
        await expect(row(page, 'Invoices')).toContainText(t('accessKey.state.active'))
      })

      await test.step('disabled after a look at its use, and back', async () => {
        await act(page, 'Invoices', 'disable')
        await expect(dialog(page)).toContainText(t('keys.never'))
        await expectAccessible(page)
        await dialog(page)
          .getByRole('button', { name: t('accessKey.do.disable'), exact: true })
          .click()
        await expect(row(page, 'Invoices')).toContainText(t('accessKey.state.disabled'))
        await page.getByRole('button', { name: t('appMember.undo') }).click()
        await expect(row(page, 'Invoices')).toContainText(t('accessKey.state.active'))
      })

      await test.step('found by name', async () => {
        await page.getByRole('searchbox').fill('nothing like it')
        await expect(row(page, 'Invoices')).toHaveCount(0)
        await page.getByRole('button', { name: t('table.clear') }).click()
        await expect(row(page, 'Invoices')).toBeVisible()
      })

      await test.step('deleted by its name', async () => {
        await act(page, 'Invoices', 'delete')
        const confirm = dialog(page).getByRole('button', {
          name: t('accessKey.do.delete'),
          exact: true,
        })
        await expect(confirm).toBeDisabled()
        await dialog(page).getByRole('textbox').fill('Invoices')
        await confirm.click()
        await expect(page.getByRole('heading', { name: t('accessKey.empty') })).toBeVisible()
      })
    },
  )

  test(
    `keys are only looked at by some, and in an archived app, ${language}`,
    long,
    async ({ page, instance }) => {
      test.slow()
      const { own, appId } = await openOwnApp(page, instance, 'Keeper')
      await makeRole(page, appId, { name: 'Auditor', permissions: ['app:view', 'key:view'] })
      const auditor = await addMember(page, own, { appId, role: 'Auditor', name: 'Looker' })
      await speak(auditor, language)
      await openKeys(auditor, appId)
      await expect(auditor.getByText(t('keys.readOnly'))).toBeVisible()
      await expect(key(auditor, 'collect').locator('code')).toHaveText(/^ck_/)
      await expect(auditor.getByRole('heading', { name: t('accessKey.empty') })).toBeVisible()
      for (const closed of ['keys.reset', 'accessKey.create']) {
        await expect(auditor.getByRole('button', { name: t(closed) })).toHaveCount(0)
      }
      await auditor.context().close()

      await speak(page, language)
      const archived = await page.request.post(`/api/v1/apps/${appId}/archive`)
      expect(archived.status()).toBe(200)
      await openKeys(page, appId)
      await expect(page.getByRole('region', { name: t('appSettings.archived') })).toBeVisible()
      await expect(key(page, 'collect').locator('code')).toHaveText(/^ck_/)
      await expect(page.getByRole('button', { name: t('keys.reset') })).toHaveCount(0)
    },
  )
}

test('leaving before a secret is stored asks first', async ({ page, instance }) => {
  const t = wordsOf('zh-CN')
  const { appId } = await openOwnApp(page, instance, 'Hasty')
  await page.goto(appPath(appId, 'appDetail'))
  await page.getByRole('link', { name: t('title.appSecretKey'), exact: true }).click()
  await startKey(page, 'zh-CN', 'Once')
  await submitKey(page, 'zh-CN')
  await expect(dialog(page).getByRole('checkbox', { name: t('keys.stored') })).toBeVisible()
  await page.goBack()
  const asked = page.getByRole('dialog', { name: t('keys.leaveTitle') })
  await expect(asked).toContainText(t('keys.leaveText'))
  await asked.getByRole('button', { name: t('common.cancel') }).click()
  await expect(asked).toHaveCount(0)
  await confirmStored(page, 'zh-CN')
})

test.describe('in light and dark', () => {
  test.use({ viewport: { width: 360, height: 780 } })

  test('keys and their dialogs fit a phone', async ({ page, instance }) => {
    const t = wordsOf('en-US')
    await speak(page, 'en-US')
    const { appId } = await openOwnApp(page, instance, 'Pocket')
    const made = await page.request.post(`/api/v1/apps/${appId}/access-keys`, {
      data: { name: 'Gateway of the northern region' },
    })
    expect(made.status()).toBe(200)
    await openKeys(page, appId)
    const card = page.getByRole('listitem').filter({ hasText: 'Gateway' })
    await expect(card).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
    await page.getByRole('button', { name: t('keys.reset') }).click()
    await expect(dialog(page).getByRole('radio').first()).toBeAttached()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
    await dialog(page)
      .getByRole('button', { name: t('common.cancel') })
      .click()
    await startKey(page, 'en-US', 'Another')
    await submitKey(page, 'en-US')
    await expect(dialog(page).locator('code').first()).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
  })
})
