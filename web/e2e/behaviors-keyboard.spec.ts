/** The palette, the shortcuts and the theme, without a mouse. */
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessible,
  expectAddress,
  expectToFit,
  LANGUAGES,
  long,
  ownAccount,
  signInByCall,
  speak,
  test,
  wordsOf,
} from './test'

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const palette = (page: Page) => page.getByRole('dialog')

for (const language of LANGUAGES) {
  test(
    `the palette finds pages, apps, people and actions by keyboard alone, ${language}`,
    long,
    async ({ page, instance }) => {
      const t = wordsOf(language)
      const own = ownAccount(instance, 'Finder')
      await signInByCall(page, own)
      await speak(page, language)
      await page.goto('/organization/list')
      await expect(heading(page)).toBeVisible()
      const field = page.getByRole('combobox', { name: t('palette.open') })
      const option = (name: string) => page.getByRole('option', { name })
      async function find(text: string, result: string) {
        await page.keyboard.press('Control+k')
        await expect(field).toBeFocused()
        await page.keyboard.type(text)
        await expect(option(result)).toHaveAttribute('aria-selected', 'true')
      }

      await find(t('title.archivedApps'), t('title.archivedApps'))
      await expectAccessible(page)
      await page.setViewportSize({ width: 360, height: 780 })
      await expectToFit(page)
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.keyboard.press('Enter')
      await expectAddress(page, `/organization/config/archived-app?org=${own.orgId}`)
      await expect(palette(page)).toHaveCount(0)

      // Found by the server.
      await find('Defau', 'Default')
      await page.keyboard.press('Enter')
      await expectAddress(page, new RegExp(`^/org-id/${own.orgId}/app-id/`))
      await expect(heading(page)).toHaveText(t('title.quickStart'))
      await find(own.account.email, own.account.email)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('searchbox')).toHaveValue(own.account.email)

      // Earlier choices come first.
      await page.keyboard.press('Control+k')
      const recent = page.getByRole('group', { name: t('palette.kind.recent') })
      await expect(recent.getByRole('option')).toContainText(['Default', t('title.archivedApps')])
      await page.keyboard.press('Escape')
      await expect(palette(page)).toHaveCount(0)

      await find(t('apps.create'), t('apps.create'))
      await page.keyboard.press('Enter')
      await expect(page.getByRole('dialog', { name: t('apps.create') })).toBeVisible()
      await expectAddress(page, `/organization/config/config-app?org=${own.orgId}`)
    },
  )
}

test('what is typed the moment a dialog is there is in its first field', async ({
  page,
  instance,
}) => {
  const t = wordsOf('zh-CN')
  const own = ownAccount(instance, 'Quick typist')
  await signInByCall(page, own)
  // The usual setting; the other tests reduce motion.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.goto(`/organization/config/config-app?org=${own.orgId}`)
  const create = page.getByRole('button', { name: t('apps.create') })
  const name = page.getByRole('dialog').getByLabel(t('apps.name'), { exact: true })
  for (const typed of ['Übungs-App', 'Second']) {
    await create.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type(typed)
    await expect(name).toHaveValue(typed)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(create).toBeFocused()
  }
})

test(
  'the help lists the keys, and they do nothing while somebody types',
  long,
  async ({ signedIn: page }) => {
    await page.goto('/organization/list')
    const search = page.getByRole('searchbox')
    await search.fill('?')
    await page.keyboard.press('?')
    await expect(search).toHaveValue('??')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await search.fill('')

    await heading(page).click()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: '键盘快捷键' })
    await expect(help).toContainText('快速查找')
    await expect(help).toContainText('近 30 天')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(help).toHaveCount(0)

    const menu = page.getByRole('button', { name: /账号菜单/ })
    await menu.click()
    await page.getByRole('menuitem', { name: '键盘快捷键' }).click()
    await help.getByRole('switch').click()
    await page.keyboard.press('Escape')
    await expect(help).toHaveCount(0)
    await expect(menu).toBeFocused()
    await page.keyboard.press('?')
    await page.keyboard.press('Control+k')
    // The palette still opens, and leads to the help.
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('快捷键')
    await expect(page.getByRole('option', { name: '键盘快捷键' })).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(help).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(menu).toBeFocused()
  },
)

test(
  'the theme follows the system live, is remembered, and is there before anything is drawn',
  long,
  async ({ signedIn: page }) => {
    const html = page.locator('html')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto('/organization/list')
    await expect(heading(page)).toBeVisible()
    await expect(html).toHaveAttribute('data-theme', 'light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect(html).toHaveAttribute('data-theme', 'dark')

    await page.getByRole('button', { name: '快速查找' }).click()
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('theme light')
    await page.keyboard.press('Enter')
    await expect(html).toHaveAttribute('data-theme', 'light')

    // Even without its scripts, the page uses the chosen theme instead of the system's.
    await page.route(/\/assets\/index-[\w-]+\.js$/, (route) => route.abort())
    await page.reload()
    await expect(html).toHaveAttribute('data-theme', 'light')
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
      'rgb(245, 247, 250)',
    )
  },
)
