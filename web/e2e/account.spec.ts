/** The account page: profile, password, devices, notifications. */
import type { Browser, Page } from '@playwright/test'
import {
  expect,
  expectAccessibleInOneTheme,
  expectAddress,
  type Instance,
  LANGUAGES,
  long,
  ownAccount,
  signInByCall,
  speak,
  test,
  wordsOf,
} from './test'

const PAGE = '/account/user-info'

async function open(page: Page, own: Instance, path = PAGE): Promise<void> {
  await signInByCall(page, own)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const sessions = (page: Page) => page.getByRole('region').and(page.locator('#sessions'))
const rows = (page: Page) => page.locator('#sessions tbody tr')

/** Another browser of the same person. */
async function elsewhere(browser: Browser, own: Instance): Promise<Page> {
  const context = await browser.newContext({ baseURL: own.url })
  const page = await context.newPage()
  await signInByCall(page, own)
  return page
}

const isSignedIn = async (page: Page) => (await page.request.get('/api/v1/current')).ok()

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`the profile is changed and kept, ${language}`, long, async ({ page, instance }) => {
    await speak(page, language)
    await open(page, ownAccount(instance, 'Before'))
    const save = page.locator('#profile').getByRole('button', { name: t('common.save') })
    await expect(save).toBeDisabled()
    await expect(page.getByLabel(t('field.email'), { exact: true })).not.toBeEditable()

    await page.getByLabel(t('field.name'), { exact: true }).fill('After')
    const zone = page.getByLabel(t('account.timezone'), { exact: true })
    await zone.click()
    await zone.fill('new york')
    await page.locator('.ant-select-item-option').filter({ hasText: 'New_York' }).click()
    await page.getByLabel(t('account.locale'), { exact: true }).click()
    await page.locator('.ant-select-item-option').filter({ hasText: 'English' }).click()
    await save.click()
    await expect(page.locator('#profile').getByRole('status')).toHaveText(t('common.saved'))
    await expect(page.getByRole('button', { name: /After/ })).toBeVisible()

    await page.reload()
    await expect(page.getByLabel(t('field.name'), { exact: true })).toHaveValue('After')
    await expect(page.locator('#profile')).toContainText('America/New_York')
    await expect(page.locator('#profile')).toContainText('English')
  })

  test(
    `a new password ends every other session, ${language}`,
    long,
    async ({ page, browser, instance }) => {
      const own = ownAccount(instance, 'Careful')
      const other = await elsewhere(browser, own)
      await speak(page, language)
      await open(page, own, `${PAGE}#password`)
      await expect(page.locator('#password')).toBeInViewport()
      const current = page.getByLabel(t('field.currentPassword'), { exact: true })
      const next = page.getByLabel(t('field.newPassword'), { exact: true })
      const change = page.getByRole('button', { name: t('account.password.submit') })

      await current.fill('not my password')
      await next.fill('eleven paper boats')
      await change.click()
      await expect(current).toHaveAttribute('aria-invalid', 'true')
      await expect(current).toBeFocused()
      expect(await isSignedIn(other)).toBe(true)

      await current.fill(own.account.password)
      await change.click()
      await expect(page.locator('#password').getByRole('status')).toHaveText(
        t('account.password.saved'),
      )
      await expect(current).toHaveValue('')
      expect(await isSignedIn(other)).toBe(false)
      expect(await isSignedIn(page)).toBe(true)
      await other.context().close()
    },
  )

  test(
    `devices are listed and signed out, ${language}`,
    long,
    async ({ page, browser, instance }) => {
      const own = ownAccount(instance, 'Everywhere')
      const others = await Promise.all([1, 2, 3].map(() => elsewhere(browser, own)))
      await speak(page, language)
      // The account's time zone, not the browser's.
      await signInByCall(page, own)
      await page.request.put('/api/v1/current/profile', { data: { timezone: 'America/New_York' } })
      await page.goto(PAGE)
      await expect(rows(page)).toHaveCount(4)
      const here = rows(page).filter({ hasText: t('sessions.thisDevice') })
      await expect(here).toHaveCount(1)
      await expect(here).toContainText('127.0.0.1')
      await expect(here.getByRole('button')).toHaveCount(0)
      await expect(rows(page).locator('time').first()).toHaveAttribute('title', /America\/New_York/)

      await rows(page)
        .filter({ hasNotText: t('sessions.thisDevice') })
        .first()
        .getByRole('button', { name: t('sessions.end') })
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: t('common.cancel') }).click()
      await expect(dialog).toHaveCount(0)
      await expect(rows(page)).toHaveCount(4)

      await rows(page)
        .filter({ hasNotText: t('sessions.thisDevice') })
        .first()
        .getByRole('button', { name: t('sessions.end') })
        .click()
      await dialog.getByRole('button', { name: t('sessions.end') }).click()
      await expect(rows(page)).toHaveCount(3)

      await sessions(page)
        .getByRole('button', { name: t('sessions.endOthers') })
        .click()
      await dialog.getByRole('button', { name: t('sessions.endOthers') }).click()
      await expect(rows(page)).toHaveCount(1)
      await expect(sessions(page).getByRole('status')).toHaveText(t('sessions.othersEnded'))
      expect(await isSignedIn(page)).toBe(true)
      expect(await Promise.all(others.map(isSignedIn))).toEqual([false, false, false])
      await Promise.all(others.map((other) => other.context().close()))
    },
  )

  test(`notifications are chosen cell by cell, ${language}`, long, async ({ page, instance }) => {
    await speak(page, language)
    await open(page, ownAccount(instance, 'Quiet'), `${PAGE}#notifications`)
    const name = (type: string, channel: string) =>
      t('notify.cell')
        .replace('{type}', t(`notify.type.${type}`))
        .replace('{channel}', t(`notify.channel.${channel}`))
    const box = (type: string, channel: string) =>
      page.getByRole('checkbox', { name: name(type, channel) })
    await expect(box('security', 'email')).toBeChecked()
    await expect(box('security', 'email')).toBeDisabled()
    await expect(page.getByRole('columnheader', { name: t('notify.channel.feishu') })).toHaveCount(
      0,
    )

    const cell = box('key_expiry', 'email')
    const before = await cell.isChecked()
    await cell.click()
    await expect(page.locator('#notifications').getByRole('status')).toHaveText(t('common.saved'))
    await page.reload()
    await expect(cell).toBeChecked({ checked: !before })

    await page.route('**/current/notification-types', (route) => route.abort())
    await cell.click()
    await expect(page.getByRole('alert').first()).toContainText(t('error.network'))
    await expect(cell).toBeChecked({ checked: !before })
  })
}

test('leaving with unsaved changes asks first', long, async ({ page, instance }) => {
  await open(page, ownAccount(instance, 'Hasty'))
  await page.getByLabel('姓名', { exact: true }).fill('Half a na')
  // Moving to another section of the page doesn't count as leaving it.
  await page.getByRole('link', { name: '通知设置' }).click()
  await expectAddress(page, `${PAGE}#notifications`)
  await page.getByRole('link', { name: '数据看板' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('放弃未保存的改动')
  await dialog.getByRole('button', { name: '取消' }).click()
  await expect(page.getByLabel('姓名', { exact: true })).toHaveValue('Half a na')
  await page.getByRole('link', { name: '数据看板' }).click()
  await dialog.getByRole('button', { name: '放弃并离开' }).click()
  await expectAddress(page, /^\/data-dashboard\?org=/)
})

test(
  'a session that has ended leads to sign-in, whatever is unsaved',
  long,
  async ({ page, instance }) => {
    await open(page, ownAccount(instance, 'Ended'))
    await page.getByLabel('姓名', { exact: true }).fill('Too late')
    await page.request.post('/api/v1/logout')
    await page.locator('#profile').getByRole('button', { name: '保存' }).click()
    await expectAddress(page, `/login?redirect=${encodeURIComponent(PAGE)}`)
  },
)

test(
  'a list that fails says so, with an id, and can be retried',
  long,
  async ({ page, instance }) => {
    await page.route('**/current/sessions?*', (route) =>
      route.fulfill({ status: 500, headers: { 'x-request-id': 'req-7' }, body: '' }),
    )
    await open(page, ownAccount(instance, 'Unlucky'))
    await expect(sessions(page).getByRole('alert')).toContainText('req-7')
    await page.unroute('**/current/sessions?*')
    await sessions(page).getByRole('button', { name: '重试' }).click()
    await expect(rows(page)).toHaveCount(1)
  },
)

test('nothing on the page moves when its lists arrive', async ({ page, instance }) => {
  let arrive = () => {}
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  await page.route(/\/current\/(mfa\/totp|passkeys|sessions)(\?|$)/, async (route) => {
    await arrival
    await route.fallback()
  })
  await open(page, ownAccount(instance, 'Still'))
  const titles = page.getByRole('heading', { level: 2 })
  const places = () =>
    titles.evaluateAll((all) => all.map((title) => title.getBoundingClientRect().top))
  const before = await places()
  expect(before.length).toBeGreaterThan(7)
  arrive()
  await expect(rows(page)).toHaveCount(1)
  const moved = (await places()).map((top, index) => Math.abs(top - before[index]!))
  expect(Math.max(...moved)).toBeLessThan(1)
})

test.describe('in light and dark', () => {
  test('the page in passing states is accessible and fits a phone', async ({
    page,
    browser,
    instance,
  }) => {
    const own = ownAccount(instance, 'Narrow')
    const other = await elsewhere(browser, own)
    await open(page, own)
    await expect(rows(page)).toHaveCount(2)
    await page.getByRole('button', { name: '修改密码' }).click()
    await expect(page.getByText('请输入当前密码')).toBeVisible()
    await page.getByLabel('新密码', { exact: true }).fill('password1')
    await expectAccessibleInOneTheme(page)

    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await page.getByLabel('时区', { exact: true }).click()
    await expect(page.locator('.ant-select-item-option').first()).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.keyboard.press('Escape')

    await sessions(page).getByRole('button', { name: '退出其他设备' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await other.context().close()
  })
})
