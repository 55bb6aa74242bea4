/** The dashboard: figures from real events, its state in the URL, and its exports. */
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { addMember, makeRole, openOwnApp } from './app'
import { message, send } from './events'
import { dataOf } from './team'
import {
  addressOf,
  expect,
  expectAccessible,
  expectAddress,
  expectToFit,
  LANGUAGES,
  long,
  speak,
  test,
  wordsOf,
} from './test'

/** Refreshes until it shows; accepted events are counted a moment later. */
async function refreshUntil(page: Page, refresh: string, shows: () => Promise<void>) {
  await expect(async () => {
    await page.getByRole('button', { name: refresh }).click()
    await shows()
  }).toPass({ timeout: 40_000, intervals: [200] })
}

const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })

/** The trend card's name while it shows events. */
const trendIn = (t: ReturnType<typeof wordsOf>) =>
  t('dashboard.trendOf', { metric: t('metric.events') })

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`the figures are those of what was sent, ${language}`, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const { own, appId } = await openOwnApp(page, instance, 'Board')
    const repeated = message({})
    await send(
      page,
      appId,
      repeated,
      repeated,
      message({ device: 'device-2', os: 'HarmonyOS', path: '/pricing' }),
      message({ event: 'add_to_cart', device: 'device-2', os: 'HarmonyOS' }),
      message({ broken: { timestamp: 'noon', properties: { email: 'secret@example.com' } } }),
    )
    await page.goto(`/data-dashboard?org=${own.orgId}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('title.dataDashboard'))
    const shows = (figure: string, value: string) =>
      expect(card(page, t(`metric.${figure}`)).getByText(value, { exact: true })).toBeVisible({
        timeout: 2000,
      })
    const ingest = card(page, t('dashboard.ingest'))
    // Events are counted separately from message results, and samples of rejected messages come
    // last.
    await refreshUntil(page, t('dashboard.refresh'), async () => {
      await shows('events', '3')
      await expect(ingest).toContainText('bad_timestamp', { timeout: 2000 })
      await expect(ingest.locator('summary')).toBeVisible({ timeout: 2000 })
    })
    await shows('page_views', '2')
    await shows('active_users', '2')
    await shows('active_devices', '2')
    await shows('new_devices', '2')
    await shows('sessions', '2')

    const trend = card(page, trendIn(t))
    await expect(trend.locator('canvas')).toBeVisible()
    // By keyboard: the arrow key starts at the newest day.
    await trend.getByRole('img').focus()
    await page.keyboard.press('ArrowLeft')
    await expect(trend.getByRole('status')).toContainText(t('metric.events'))
    await expect(trend.getByRole('status')).toContainText(t('dashboard.compared'))

    await expect(card(page, t('dashboard.topEvents'))).toContainText('add_to_cart')
    await expect(card(page, t('dashboard.by.os'))).toContainText('HarmonyOS')
    // One of two page views, and one of two sessions.
    const pricing = page.getByRole('link', { name: '/pricing', exact: true })
    for (const list of ['pages', 'entry_pages', 'exit_pages']) {
      const row = card(page, t(`pages.${list}`))
        .getByRole('row')
        .filter({ has: pricing })
      await expect(row).toContainText('50%')
    }
    await expect(card(page, t('pages.sites'))).toContainText(t('pages.direct'))

    await ingest.locator('summary').first().click()
    await expect(ingest.locator('pre').first()).toContainText('"timestamp": "<string 4>"')
    await expect(page.getByText('secret@example.com')).toHaveCount(0)

    await expectAccessible(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await expectToFit(page)
    await expectAccessible(page)
    await page.setViewportSize({ width: 1440, height: 900 })

    const name = page.getByRole('link', { name: 'Default', exact: true })
    await expect(page.getByRole('row').filter({ has: name })).toContainText('100%')
    // From a figure to its analysis, and from the app to its overview, keeping the date range.
    await card(page, t('dashboard.topEvents')).getByRole('link', { name: 'add_to_cart' }).click()
    const entry = `/org-id/${own.orgId}/app-id/${appId}`
    const asked = new URLSearchParams({ q: '{"s":[["add_to_cart"]]}', range: '7d' })
    await expectAddress(page, `${entry}/analyses/trend?${asked}`)
    await page.goBack()
    await name.click()
    await expectAddress(page, `${entry}?range=7d`)
  })

  test(`what is on screen is in the address, ${language}`, long, async ({ page, instance }) => {
    await speak(page, language)
    const { own, appId } = await openOwnApp(page, instance, 'Linked')
    await page.goto(`/data-dashboard?org=${own.orgId}`)
    const base = `/data-dashboard?org=${own.orgId}`

    await page.getByRole('button', { name: t('range.preset.7d') }).click()
    await page.getByRole('button', { name: t('range.preset.30d'), exact: true }).click()
    await expectAddress(page, `${base}&range=30d`)
    // Clicks the label, because the radio itself takes up no space.
    const pick = async (name: string) => {
      const radio = page.getByRole('radio', { name })
      await page.locator('label').filter({ has: radio }).click()
      await expect(radio).toBeChecked()
    }
    await pick(t('range.by.week'))
    await page.getByRole('combobox', { name: t('range.compare'), exact: true }).click()
    await page.getByTitle(t('range.compare.previous_year')).click()
    await pick(t('metric.active_users'))
    const chosen = `${base}&range=30d&granularity=week&compare=previous_year&metric=active_users`
    await expectAddress(page, chosen)

    await page.getByRole('combobox', { name: t('dashboard.apps') }).click()
    await page.locator('.ant-select-item-option:visible').first().click()
    await expectAddress(page, `${chosen}&apps=${appId}`)
    await page.reload()
    await expect(page.getByRole('button', { name: t('range.preset.30d') })).toBeVisible()
    await expect(page.getByRole('radio', { name: t('metric.active_users') })).toBeChecked()
    expect(addressOf(page)).toBe(`${chosen}&apps=${appId}`)

    await test.step('by keys', async () => {
      await page.goto(base)
      await expect(page.getByRole('button', { name: t('range.preset.7d') })).toBeVisible()
      await page.keyboard.press('t')
      await expectAddress(page, `${base}&range=today`)
      await page.keyboard.press('d')
      await page.keyboard.press('9')
      await expectAddress(page, `${base}&range=90d`)
      await page.keyboard.press('[')
      await expectAddress(page, /&range=\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d$/)
      await page.goBack()
      await expectAddress(page, `${base}&range=today`)
    })

    await test.step('by two days of one’s own', async () => {
      await page.goto(base)
      await page.getByRole('button', { name: t('range.preset.7d') }).click()
      await page.getByLabel(t('range.start')).fill('2026-02-03')
      await page.getByLabel(t('range.end')).fill('2026-02-01')
      await expect(page.getByRole('button', { name: t('range.apply') })).toBeDisabled()
      await expectAccessible(page)
      await page.getByLabel(t('range.end')).fill('2026-02-09')
      await page.getByRole('button', { name: t('range.apply') }).click()
      await expectAddress(page, `${base}&range=2026-02-03..2026-02-09`)
    })
  })

  test(
    `tables leave as CSV and charts as PNG, for those who may, ${language}`,
    long,
    async ({ page, instance }) => {
      test.slow()
      await speak(page, language)
      const { own, appId } = await openOwnApp(page, instance, 'Exporter')
      await send(page, appId, message({ event: '=cmd' }), message({}))
      await page.goto(`/data-dashboard?org=${own.orgId}`)
      const top = card(page, t('dashboard.topEvents'))
      await refreshUntil(page, t('dashboard.refresh'), () =>
        expect(top.getByText('=cmd')).toBeVisible({ timeout: 2000 }),
      )

      const saved = async (title: string, format: string) => {
        const download = page.waitForEvent('download')
        await page.getByRole('button', { name: t('dashboard.export', { title, format }) }).click()
        return readFile(await (await download).path())
      }
      const csv = (await saved(t('dashboard.topEvents'), 'CSV')).toString('utf8')
      expect(csv.startsWith('\ufeff')).toBe(true)
      expect(csv).toContain("'=cmd")
      const png = await saved(trendIn(t), 'PNG')
      expect(png.subarray(1, 4).toString()).toBe('PNG')
      expect(png.length).toBeGreaterThan(5000)

      const viewer = await addMember(page, own, { name: 'Viewer', appId, role: 'viewer' })
      await speak(viewer, language)
      await viewer.goto(`/data-dashboard?org=${own.orgId}`)
      await expect(card(viewer, t('dashboard.topEvents'))).toContainText('=cmd')
      await expect(viewer.getByRole('button', { name: /CSV|PNG/ })).toHaveCount(0)
      await viewer.context().close()
    },
  )

  test(`its other faces, ${language}`, long, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const { own, appId } = await openOwnApp(page, instance, 'Faces')

    await test.step('nothing has happened yet', async () => {
      await page.goto(`/data-dashboard?org=${own.orgId}`)
      await expect(page.getByText(t('dashboard.noEvents'))).toBeVisible()
      await expectAccessible(page)
      const start = card(page, trendIn(t)).getByRole('link')
      await expect(start).toHaveAttribute(
        'href',
        `/org-id/${own.orgId}/app-id/${appId}/quick-start`,
      )
    })

    await test.step('one part fails, the others do not', async () => {
      let away = true
      await page.route('**/data-overall', (route) =>
        away && route.request().postData()?.includes('"top_events"')
          ? route.fulfill({ status: 503, json: { message: 'away', errors: [] } })
          : route.fallback(),
      )
      await page.reload()
      const top = card(page, t('dashboard.topEvents'))
      await expect(top.getByRole('alert')).toContainText('away')
      await expect(card(page, t('dashboard.by.os'))).toContainText(t('dashboard.none'))
      away = false
      await top.getByRole('button', { name: t('common.retry') }).click()
      await expect(top).toContainText(t('dashboard.none'))
    })

    await test.step('someone who may see no figures', async () => {
      await makeRole(page, appId, { name: 'Blind', permissions: ['app:view'] })
      const blind = await addMember(page, own, { name: 'Blind', appId, role: 'Blind' })
      await speak(blind, language)
      await blind.goto(`/data-dashboard?org=${own.orgId}`)
      await expect(blind.getByRole('heading', { level: 1 })).toHaveText(t('forbidden.title'))
      await blind.context().close()
    })

    await test.step('a team without apps', async () => {
      await dataOf(await page.request.post(`/api/v1/apps/${appId}/archive`))
      await page.goto(`/data-dashboard?org=${own.orgId}`)
      await expect(page.getByText(t('dashboard.noAppsText'))).toBeVisible()
      await expectAccessible(page)
      await page.getByRole('button', { name: t('apps.create') }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
    })
  })
}

test('full screen, and paper', async ({ page, instance }) => {
  const t = wordsOf('zh-CN')
  const { own, appId } = await openOwnApp(page, instance, 'Wall')
  await send(page, appId, message({}))
  await page.goto(`/data-dashboard?org=${own.orgId}`)
  await refreshUntil(page, t('dashboard.refresh'), () =>
    expect(card(page, trendIn(t)).locator('canvas')).toBeVisible({ timeout: 3000 }),
  )

  await page.keyboard.press('f')
  const leave = page.getByRole('button', { name: t('dashboard.leaveFullScreen') })
  await expect(leave).toBeVisible()
  // Dropdowns must open inside the full-screen element.
  await page.getByRole('combobox', { name: t('range.compare'), exact: true }).click()
  await expect(page.getByTitle(t('range.compare.none'))).toBeVisible()
  await leave.click()
  await expect(page.getByRole('button', { name: t('dashboard.fullScreen') })).toBeVisible()

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await expect(page.getByRole('banner')).toBeHidden()
  await expect(page.getByRole('button', { name: t('dashboard.refresh') })).toBeHidden()
  await expect(
    page.getByText(`${own.account.organization} · ${t('title.dataDashboard')}`),
  ).toBeVisible()
  // A4 without its margins.
  await page.setViewportSize({ width: 703, height: 1000 })
  await expectToFit(page)
})
