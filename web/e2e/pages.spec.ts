/**
 * Checks every page's title and heading, accessibility in both themes, and, in both languages, that
 * the narrowest phone doesn't scroll sideways. One visit checks all of it, because visits are slow.
 */
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessibleInBothThemes,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  ownAccount,
  resize,
  speak,
  test,
  walkTo,
} from './test'

type Screen = [path: string, title: string, heading?: string]

const forAnyone: [Screen, ...Screen[]] = [
  ['/login', '登录', '欢迎回来'],
  ['/emailValidator/no-such-token', '验证邮箱', '链接已失效'],
  ['/login?register=', '登录', '注册账号'],
  ['/forgetPwd', '忘记密码'],
  ['/pwdReset/some-token', '设置新密码', '链接已失效'],
  ['/emailSend', '获取链接', '链接已生成'],
  // Never the same page twice in a row: the change would go unnoticed.
  ['/no/such/page', '页面不存在'],
  ['/emailSend?purpose=reset&email=a@b.example', '获取链接', '链接已生成'],
]

const ofAccountAndTeam: [Screen, ...Screen[]] = [
  ['/403', '没有权限', '没有权限访问此页面'],
  ['/no-auth', '暂无权限', '你已有访问权限'],
  ['/organization/list', '团队列表'],
  ['/organization/config/member', '团队成员'],
  ['/organization/config/config-app', '团队应用'],
  ['/organization/config/archived-app', '已归档应用'],
  ['/organization/config/delete-app', '已删除应用'],
  ['/organization/config/setting', '团队设置'],
  ['/organization/config/audit', '审计日志'],
  ['/organization/config/sso', '单点登录'],
]

const ofAppsAndOperators: [Screen, ...Screen[]] = [
  ['/data-dashboard', '数据看板'],
  ['/account/user-info', '个人资料'],
  ['/account/sso-link', '关联单点登录', '没有等待关联的单点登录'],
  ['/operator/health', '实例状态'],
  ['/operator/sessions', '用户登录管理'],
  ['/operator/links', '待交付链接'],
  ['/operator/errors', '控制台错误'],
  ['/operator/errors/no-such-error', '错误详情'],
  // For pages of an existing app, see application.spec.ts.
  ['/app-1/authManagement/appDetail', '页面不存在'],
  ['/org-id/o-1/app-id/a-1', '页面不存在'],
  ['/no/such/page', '页面不存在'],
]

const NARROWEST = { width: 360, height: 780 }

const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** Team pages add the team to their URL. */
function addressAt(path: string): string | RegExp {
  return /^\/(organization\/config\/|data-dashboard)/.test(path)
    ? new RegExp(`^${path}\\?org=[\\w-]+$`)
    : path
}

/**
 * Not the language of the mails, which a profile names the same way. By its event, because a notice may lie
 * over it, and a pointer that rests there would hold the notice.
 */
const switchTo = (page: Page, language: string) =>
  page.locator('label').and(page.getByTitle(language)).dispatchEvent('click')

/** The theme only changes colors and the language only words, so neither needs another visit. */
async function look(page: Page, [first, ...others]: [Screen, ...Screen[]]): Promise<void> {
  await speak(page, 'zh-CN')
  await page.goto(first[0])
  for (const [path, title, text = title] of [first, ...others]) {
    await test.step(path, async () => {
      if (path !== first[0]) await walkTo(page, path)
      await expect(heading(page)).toHaveText(text)
      await expect(page).toHaveTitle(`${title}-Atrium`)
      await expectAddress(page, addressAt(path))
      await expect(page.locator('.ant-btn-loading')).toHaveCount(0)
      await expectAccessibleInBothThemes(page)

      const wide = page.viewportSize()!
      await resize(page, NARROWEST.width, NARROWEST.height)
      await expectToFit(page)
      await switchTo(page, 'English')
      await expect(heading(page)).toHaveText(/^[\x20-\x7e’]+$/)
      await expect(page.locator('html')).toHaveAttribute('lang', 'en-US')
      await expect(page).toHaveTitle(/^[\x20-\x7e’]+-Atrium$/)
      await expectToFit(page)
      await switchTo(page, '中文')
      await expect(heading(page)).toHaveText(text)
      await resize(page, wide.width, wide.height)
    })
  }
}

test.describe('every page', () => {
  test.slow()

  test('for anyone', ({ page }) => look(page, forAnyone))
  test('of the account and the team', ({ signedIn }) => look(signedIn, ofAccountAndTeam))
  test('of an app, and what is no page', ({ signedIn }) => look(signedIn, ofAppsAndOperators))
})

test.describe('in passing states', () => {
  test('errors on screen, menus open', async ({ page, instance, playwright }) => {
    const own = ownAccount(instance, 'Opener')
    // Known from another browser, so that signing in from this one rings the bell.
    const other = await playwright.request.newContext({ baseURL: own.url })
    const { email, password } = own.account
    await other.post('/api/v1/login', { data: { email, password } })
    await other.dispose()
    await page.goto('/login')
    await page.getByRole('button', { name: '登录' }).click()
    await expect(page.getByText('请输入密码')).toBeVisible()
    await expectAccessibleInOneTheme(page)

    await page.getByLabel('邮箱').fill(email)
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.getByRole('button', { name: '登录' }).click()
    await page.getByRole('button', { name: /账号菜单/ }).click()
    await expect(page.getByRole('menuitem', { name: '退出登录' })).toBeVisible()
    // Also check the page behind the menu, once it is there.
    await expect(heading(page)).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: '通知，1 条未读' }).click()
    const messages = page.getByRole('dialog', { name: '通知' })
    await expect(messages.getByRole('listitem')).toHaveCount(1)
    await expectAccessibleInOneTheme(page)
    await page.keyboard.press('Escape')

    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox', { name: '快速查找' })).toBeFocused()
    await expect(page.getByRole('option').first()).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await resize(page, NARROWEST.width, NARROWEST.height)
    await expectToFit(page)
  })

  test('the menu of a phone', async ({ signedIn: page }) => {
    await page.setViewportSize(NARROWEST)
    await page.goto('/organization/list')
    await page.getByRole('button', { name: '打开导航菜单' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.getByRole('dialog').getByRole('link', { name: '数据看板' }).click()
    await expectAddress(page, /^\/data-dashboard\?org=/)
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
})
