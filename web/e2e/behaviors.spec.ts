import type { Page } from '@playwright/test'
import { createAccount, withDataFolder, withServer } from './server'
import { expect, LANGUAGES, long, signInByCall, speak, test, wordsOf } from './test'

const BUILD = '/api/v1/build-info'

/** Answers the console's request for the published build. */
async function publish(page: Page, version: string, message?: string) {
  let asked = 0
  await page.route(`**${BUILD}`, (route) => {
    asked += 1
    return route.fulfill({ json: { data: { build_version: version, build_message: message } } })
  })
  return () => asked
}

async function look(page: Page, state: 'hidden' | 'visible') {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}

test(
  'a hidden tab asks for no version, and once when it is looked at again',
  long,
  async ({ signedIn: page }) => {
    const asked = await publish(page, 'v25.10.202')
    await page.clock.install()
    await page.goto('/organization/list')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await look(page, 'hidden')
    await page.clock.runFor(120_000)
    expect(asked()).toBe(0)
    await look(page, 'visible')
    await expect.poll(asked).toBe(1)
    await page.clock.runFor(30_000)
    await expect.poll(asked).toBe(2)
  },
)

for (const language of LANGUAGES) {
  test(
    `the version tip is moved, stays in sight and is remembered (${language})`,
    long,
    async ({ signedIn: page, instance }) => {
      const t = wordsOf(language)
      await speak(page, language)
      await publish(page, 'v26.1.0', 'Faster exports')
      await page.clock.install()
      await page.goto('/organization/list')
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.clock.runFor(30_000)
      const tip = page.getByRole('dialog', { name: `Atrium(${instance.account.email})` })
      await expect(tip).toContainText(t('version.news', { version: 'v26.1.0' }))
      await expect(tip).toContainText('Faster exports')
      const box = async () => (await tip.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
      await expect.poll(box).toMatchObject({ width: 300, height: 140 })

      const { x, y } = await box()
      await page.mouse.move(x + 40, y + 15)
      await page.mouse.down()
      await page.mouse.move(-2000, 3000, { steps: 4 })
      await page.mouse.up()
      await expect.poll(box).toMatchObject({ x: 0, y: 800 - 140 })
      await page.setViewportSize({ width: 390, height: 500 })
      await expect.poll(box).toMatchObject({ x: 0, y: 500 - 140 })
      await tip.getByRole('button', { name: /^Atrium\(/ }).press('ArrowUp')
      await expect.poll(box).toMatchObject({ y: 500 - 140 - 16 })

      await page.reload()
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await page.clock.runFor(30_000)
      await expect(tip).toBeVisible()
      await expect.poll(box).toMatchObject({ x: 0, y: 500 - 140 - 16 })
      await tip.getByRole('button', { name: t('floating.close') }).click()
      await expect(tip).toHaveCount(0)
    },
  )
}

test(
  'a server that was upgraded is noticed, and the new console loaded',
  long,
  async ({ browser }) => {
    const account = {
      email: 'zhou@example.com',
      name: '周末',
      organization: '升级组',
      password: 'correct horse battery',
    }
    await withDataFolder(async (folder) => {
      const { org_id: orgId } = createAccount(folder, account)
      const context = await browser.newContext({ locale: 'zh-CN' })
      const page = await context.newPage()
      let url = ''
      await withServer(folder, async (server) => {
        url = server.url
        await signInByCall(page, { url, account, dataFolder: folder, orgId })
        await page.clock.install()
        await page.goto(`${url}/organization/list`)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      })
      // If there is no answer, nothing is shown.
      await page.clock.runFor(30_000)
      await expect(page.getByRole('dialog')).toHaveCount(0)
      const newer = ['--build-version', 'v26.2.0', '--build-message', '看板更快了']
      await withServer(
        folder,
        async () => {
          await page.clock.runFor(30_000)
          const tip = page.getByRole('dialog', { name: 'Atrium(zhou@example.com)' })
          await expect(tip).toContainText('v26.2.0')
          await expect(tip).toContainText('看板更快了')
          const loaded = page.waitForEvent('load')
          await tip.getByRole('button', { name: '刷新页面' }).click()
          await loaded
          await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
          await page.clock.runFor(60_000)
          await expect(tip).toHaveCount(0)
        },
        newer,
        new URL(url).port,
      )
      await context.close()
    })
  },
)

test('the watermark comes back when it is deleted or restyled, and takes no clicks', async ({
  signedIn: page,
  instance,
}) => {
  await page.goto('/organization/list')
  const mark = page.locator('body > div[style*="svg+xml"]')
  await expect(mark).toHaveCount(1)
  const picture = () =>
    mark.evaluate((layer) => decodeURIComponent(getComputedStyle(layer).backgroundImage))
  expect(await picture()).toContain(instance.account.email)

  await mark.evaluate((layer) => layer.remove())
  await expect(mark).toHaveCount(1)
  await mark.evaluate((layer) => layer.style.setProperty('display', 'none', 'important'))
  await expect(mark).toBeVisible()
  await mark.evaluate((layer) => layer.style.setProperty('background-image', 'none', 'important'))
  await expect(mark).toHaveCount(1)
  expect(await picture()).toContain(instance.account.email)
  expect(await picture()).toContain('font-size="14"')
  await page.setViewportSize({ width: 390, height: 800 })
  await expect.poll(picture).toContain('font-size="12"')

  const over = await page.evaluate(() => document.elementFromPoint(195, 300)?.getAttribute('style'))
  expect(over ?? '').not.toContain('svg+xml')
})

test('nobody has no watermark', long, async ({ page }) => {
  await page.goto('/login')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.locator('body > div[style*="svg+xml"]')).toHaveCount(0)
})
