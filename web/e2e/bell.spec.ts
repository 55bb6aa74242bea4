/** Messages inside the console. */
import {
  expect,
  expectAccessible,
  expectAccessibleInOneTheme,
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

const TITLES = { 'zh-CN': '新设备登录', 'en-US': 'New sign-in to your account' }

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(
    `a sign-in from another browser rings it, ${language}`,
    long,
    async ({ page, browser, instance }) => {
      const own = ownAccount(instance, 'Watched')
      await speak(page, language)
      await signInByCall(page, own)
      await page.goto('/data-dashboard')
      const bell = page.getByRole('button', { name: t('bell.label') })
      await bell.click()
      const panel = page.getByRole('dialog', { name: t('bell.label') })
      await expect(panel).toContainText(t('bell.empty'))
      await page.keyboard.press('Escape')
      await expect(panel).toHaveCount(0)
      await expect(bell).toBeFocused()

      const context = await browser.newContext({ baseURL: own.url })
      await signInByCall(await context.newPage(), own)
      await context.close()
      await page.reload()
      await expect(page.getByRole('button', { name: t('bell.unread', { count: 1 }) })).toBeVisible()
      await bell.click()
      const item = panel.getByRole('link', { name: TITLES[language] })
      await expect(item).toContainText(t('bell.new'))
      await expectAccessible(page)
      await item.click()
      await expectAddress(page, '/account/user-info#sessions')
      await expect(panel).toHaveCount(0)
      await expect(page.getByRole('button', { name: t('bell.label'), exact: true })).toBeVisible()
    },
  )
}

test.describe('in light and dark', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test(
    'on a phone it is there too, and all is read at once',
    long,
    async ({ page, browser, instance }) => {
      const own = ownAccount(instance, 'Pocket')
      await signInByCall(page, own)
      for (let other = 0; other < 2; other += 1) {
        const context = await browser.newContext({ baseURL: own.url })
        await signInByCall(await context.newPage(), own)
        await context.close()
      }
      await page.goto('/data-dashboard')
      await page.getByRole('button', { name: '通知，2 条未读' }).click()
      const panel = page.getByRole('dialog', { name: '通知' })
      await expect(panel.getByRole('listitem')).toHaveCount(2)
      await expectAccessibleInOneTheme(page)
      await expectToFit(page)
      // The list changes immediately; reload only after the server has been told.
      const known = page.waitForResponse('**/api/v1/current/notifications/read')
      await panel.getByRole('button', { name: '全部标为已读' }).click()
      await expect(panel.getByText('未读')).toHaveCount(0)
      await known
      await page.reload()
      await expect(page.getByRole('button', { name: '通知', exact: true })).toBeVisible()
    },
  )
})
