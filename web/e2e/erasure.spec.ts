/** Data that arrives, how long it is kept, and erasing one person. */
import type { Page } from '@playwright/test'
import { appPath, makeRole, addMember, openOwnApp } from './app'
import { dataOf, row } from './team'
import { expect, expectAccessible, LANGUAGES, long, passTime, speak, test, wordsOf } from './test'

/** Sends one event the way a page with the app's key would. */
async function sendEvent(page: Page, appId: string, userId: string): Promise<void> {
  const { items } = await dataOf<{ items: { kind: string; key: string }[] }>(
    await page.request.get(`/api/v1/apps/${appId}/api-keys`),
  )
  const data = {
    log_id: crypto.randomUUID(),
    event: 'signup',
    timestamp: Date.now(),
    device_id: 'device-1',
    user_id: userId,
    sdk_type: 'js',
    sdk_version: '0.2.4',
    timezone_offset: 8,
    os: 'macOS',
    language: 'zh-CN',
    url_path: '/signup',
    device_type: 'PC',
    browser: 'Chrome',
    browser_version: '140',
    user_agent: 'test',
    client_version: 'v1',
    source: 'web',
    properties: { plan: 'pro' },
  }
  const answer = await page.request.post('/v1/collect', {
    data: {
      app_key: items.find(({ kind }) => kind === 'collect')!.key,
      messages: [{ type: 'Event', data }],
    },
  })
  const { accepted } = await dataOf<{ accepted: number }>(answer)
  expect(accepted).toBe(1)
}

for (const language of LANGUAGES) {
  const t = wordsOf(language)
  const receiving = (page: Page) => page.getByRole('region', { name: t('ingest.title') })
  const erasures = (page: Page) => page.getByRole('region', { name: t('erasure.title') })

  test(
    `the first event turns the page green by itself, ${language}`,
    long,
    async ({ page, instance }) => {
      test.slow()
      await speak(page, language)
      await page.clock.install()
      const { appId } = await openOwnApp(page, instance, 'Starter')
      await page.goto(appPath(appId, 'appDetail'))
      await expect(receiving(page)).toContainText(t('ingest.waiting'))
      await expectAccessible(page)
      await sendEvent(page, appId, 'customer-1')
      // Counted a moment after it is stored; the page polls every ten seconds.
      await passTime(page, 10_000, async () => {
        await expect(receiving(page)).toContainText(t('ingest.last'), { timeout: 500 })
        await expect(receiving(page).locator('dd').first()).toHaveText('1', { timeout: 500 })
      })
      await expectAccessible(page)
    },
  )

  test(`one person’s data is erased, ${language}`, long, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const { appId } = await openOwnApp(page, instance, 'Eraser')
    await sendEvent(page, appId, 'Customer 48213')
    await page.goto(appPath(appId, 'appDetail'))
    await expect(erasures(page)).toContainText(t('erasure.none'))
    const dialog = page.getByRole('dialog')
    // The card above grows when the event is counted, and can move the button away from under the click.
    await expect(async () => {
      await erasures(page)
        .getByRole('button', { name: t('erasure.start') })
        .click()
      await expect(dialog).toBeVisible({ timeout: 5_000 })
    }).toPass()
    const submit = dialog.getByRole('button', { name: t('erasure.submit') })
    const subject = dialog.getByRole('textbox', { name: t('erasure.kind.user') })
    const again = dialog.getByRole('textbox', { name: t('erasure.again') })
    await expect(dialog).toContainText(t('erasure.removes.user'))
    await expect(dialog).toContainText(t('erasure.warning'))
    await expectAccessible(page)
    await subject.fill('Customer 48213')
    await again.fill('customer 48213')
    await expect(submit).toBeDisabled()
    await again.blur()
    await expect(dialog).toContainText(t('erasure.mismatch'))
    await again.fill('Customer 48213')
    await submit.click()
    await expect(dialog).toHaveCount(0)
    await expect(erasures(page)).toContainText(t('erasure.asked'))

    // The list follows the erasure to its end, then no longer shows whose data it was.
    const done = row(page, t('erasure.state.done'))
    await expect(done).toBeVisible({ timeout: 60_000 })
    await expect(done).not.toContainText('Customer 48213')
    await expectAccessible(page)
  })

  test(
    `an app keeps its events as long as it is told, ${language}`,
    long,
    async ({ page, instance }) => {
      await speak(page, language)
      const { own, appId } = await openOwnApp(page, instance, 'Hoarder')
      await page.goto(appPath(appId, 'appDetail'))
      const save = page.getByRole('button', { name: t('common.save'), exact: true })
      await page.getByRole('radio', { name: t('retention.asOwn') }).check()
      const days = page.getByLabel(t('retention.days'), { exact: true })
      await days.fill('0')
      await days.blur()
      await expect(page.getByText(t('setting.retentionRule', { min: 1, max: 3650 }))).toBeVisible()
      await days.fill('30')
      await save.click()
      const { name } = await dataOf<{ name: string }>(
        await page.request.get(`/api/v1/apps/${appId}`),
      )
      const asked = page.getByRole('dialog')
      await expect(asked).toContainText(t('setting.shortenEvents'))
      await asked.getByLabel(t('danger.type', { name })).fill(name)
      await asked.getByRole('button', { name: t('setting.shorten') }).click()
      await expect(page.getByRole('status').filter({ hasText: t('common.saved') })).toBeVisible()
      await page.reload()
      await expect(days).toHaveValue('30')

      const onlooker = await addMember(page, own, { appId, role: 'viewer', name: 'Onlooker' })
      await speak(onlooker, language)
      await onlooker.goto(appPath(appId, 'appDetail'))
      await expect(
        onlooker.getByText(t('retention.own', { days: 30 }), { exact: true }),
      ).toBeVisible()
      await onlooker.context().close()
    },
  )
}

test('erasing is for those who may see personal data', long, async ({ page, instance }) => {
  const t = wordsOf('zh-CN')
  const { own, appId } = await openOwnApp(page, instance, 'Private')
  await makeRole(page, appId, { name: 'Helper', permissions: ['app:view', 'profile:view'] })
  const helper = await addMember(page, own, { appId, role: 'Helper', name: 'Helper' })
  await helper.goto(appPath(appId, 'appDetail'))
  await expect(helper.getByRole('heading', { name: t('appDetail.facts') })).toBeVisible()
  await expect(helper.getByRole('region', { name: t('erasure.title') })).toHaveCount(0)
  await helper.context().close()
})
