/** What the console does when the server refuses, is unreachable, or serves a different build. */
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessible,
  expectAddress,
  LANGUAGES,
  long,
  speak,
  test,
  wordsOf,
} from './test'

const heading = (page: Page) => page.getByRole('heading', { level: 1 })
const LIST = '/organization/list'

for (const language of LANGUAGES) {
  // For each status and kind of answer, see api/client.test.ts.
  test(
    `a refusal is told in its own words, or in those of its status, ${language}`,
    long,
    async ({ page }) => {
      const t = wordsOf(language)
      await speak(page, language)
      let answer: { status: number; body?: string; json?: object } = { status: 500, body: '<html>' }
      await page.route('**/api/v1/envs', (route) =>
        route.fulfill({ ...answer, headers: { 'x-request-id': `req-${answer.status}` } }),
      )
      const said = async (text: string) => {
        await page.goto('/')
        await expectAddress(page, '/login?redirect=%2F')
        await expect(page.getByRole('alert')).toContainText(text)
      }
      await said(t('error.status.500'))
      answer = { status: 422, json: { message: 'm', errors: [{ error: '甲' }, { error: '乙' }] } }
      await said(`甲${t('error.separator')}乙`)
    },
  )
}

test('a notice is 384 px wide, 24 px from the edges, gone after 4.5 s, and its id can be copied by keyboard', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.route('**/api/v1/envs', (route) =>
    route.fulfill({ status: 500, headers: { 'x-request-id': 'req-7' } }),
  )
  await page.clock.install()
  await page.goto('/')
  const notice = page.getByRole('alert')
  await expect(notice).toContainText('req-7')
  await expect.poll(() => notice.boundingBox()).toMatchObject({ width: 384, y: 24 })
  const box = (await notice.boundingBox())!
  expect(1280 - box.x - box.width).toBe(24)
  await expectAccessible(page)

  await page.getByLabel('邮箱').focus()
  await page.keyboard.press('F8')
  await expect(page.getByRole('button', { name: '复制请求编号' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('req-7')
  // Focus keeps it open.
  await page.clock.runFor(10_000)
  await expect(notice).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(notice).toHaveCount(0)
  await expect(page.getByLabel('邮箱')).toBeFocused()
})

test(
  'a lost network is said once, and what failed comes with it back',
  long,
  async ({ signedIn: page, context }) => {
    await page.goto('/organization/config/member')
    await expect(page.getByRole('table')).toBeVisible()
    // Its code is loaded already, but its data is not.
    await page.getByRole('link', { name: '团队应用' }).click()
    await expect(heading(page)).toHaveText('团队应用')

    await context.setOffline(true)
    const lost = page.getByRole('alert').filter({ hasText: '网络连接已断开' })
    await expect(lost).toHaveCount(1)
    await page.getByRole('link', { name: '团队成员' }).click()
    const failures = page.getByRole('main').getByRole('alert')
    await expect(failures.first()).toContainText('无法连接服务器')
    await lost.getByRole('button', { name: '重试' }).click()
    await expect(lost.getByRole('button', { name: '重试' })).toBeEnabled()
    await expect(lost).toHaveCount(1)
    await expectAccessible(page)

    await context.setOffline(false)
    await expect(page.getByRole('status').filter({ hasText: '网络已恢复' })).toBeVisible()
    await expect(page.getByRole('table')).toBeVisible()
    await expect(failures).toHaveCount(0)
    await expect(page.getByText('网络已恢复')).toHaveCount(0)
  },
)

/** Makes the server lose this code, as after an upgrade, until the next document loads. */
async function takeAway(page: Page, code: RegExp, { forGood = false } = {}) {
  const state = { gone: true, reloads: 0 }
  page.on('request', (request) => {
    if (!request.isNavigationRequest()) return
    state.reloads += 1
    state.gone = forGood
  })
  await page.route(code, (route) =>
    state.gone ? route.fulfill({ status: 404, body: 'gone' }) : route.fallback(),
  )
  return state
}

const DASHBOARD_CODE = /\/assets\/DashboardPage-[\w-]+\.js$/

test('a page whose code is gone costs exactly one reload, and opens with the new console', async ({
  signedIn: page,
}) => {
  await page.goto(LIST)
  await expect(heading(page)).toBeVisible()
  const code = await takeAway(page, DASHBOARD_CODE)
  await page.getByRole('link', { name: '数据看板' }).click()
  await expect(heading(page)).toHaveText('数据看板')
  expect(code.reloads).toBe(1)
})

test(
  'a page whose code stays gone is not reloaded again and again',
  long,
  async ({ signedIn: page, complaints }) => {
    await page.goto(LIST)
    await expect(heading(page)).toBeVisible()
    await page.evaluate(() => {
      window.addEventListener('vite:preloadError', () => sessionStorage.setItem('raised', 'yes'))
    })
    const code = await takeAway(page, DASHBOARD_CODE, { forGood: true })
    await page.getByRole('link', { name: '数据看板' }).click()
    await expect(heading(page)).toHaveText('页面未能加载')
    expect(await page.evaluate(() => sessionStorage.getItem('raised'))).toBe('yes')
    await expectAccessible(page)
    await page.unroute(DASHBOARD_CODE)
    await page.getByRole('button', { name: '重新加载' }).click()
    await expect(heading(page)).toHaveText('数据看板')
    // One automatic reload, one from the button, and none in between.
    expect(code.reloads).toBe(2)
    complaints.length = 0
  },
)

test('whoever prevents the event deals with it; a part of a page reloads nothing', async ({
  signedIn: page,
}) => {
  await page.goto('/account/user-info')
  const name = page.getByLabel('姓名')
  const saved = await name.inputValue()
  await name.fill('写了一半')
  const code = await takeAway(page, /\/assets\/(Palette|DashboardPage)-[\w-]+\.js$/)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('alert')).toContainText('控制台已更新')
  await page.getByRole('button', { name: '稍后' }).click()
  await expect(name).toHaveValue('写了一半')

  await name.fill(saved)
  const prevented = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        window.addEventListener('vite:preloadError', (event) => {
          event.preventDefault()
          setTimeout(resolve)
        })
      }),
  )
  await page.getByRole('link', { name: '数据看板' }).click()
  await prevented
  // A reload would have been requested before this.
  await page.evaluate(() => fetch('/api/v1/build-info').then((answer) => answer.text()))
  expect(code.reloads).toBe(0)
  await expect(name).toBeVisible()
})
