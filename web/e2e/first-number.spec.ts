/**
 * From an empty folder to a number on the overview, in at most four clicks and without a mail
 * server.
 */
import { execFileSync } from 'node:child_process'
import type { Locator } from '@playwright/test'
import { openOwnApp } from './app'
import { expect, expectAddress, LANGUAGES, long, speak, test, wordsOf } from './test'
import { entryOf } from './workspace'

test('from an empty folder to the first number in three clicks', async ({ page, emptyServer }) => {
  const steps: string[] = []
  let clicks = 0
  let since = Date.now()
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }
  const passed = (what: string) => {
    steps.push(`${what}: ${Date.now() - since} ms`)
    since = Date.now()
  }

  await page.goto(await emptyServer.setupLink)
  await page.getByLabel('邮箱', { exact: true }).fill('first@example.com')
  passed('the setup link')
  // Names with multi-code-unit characters, right-to-left text, and great length.
  await page.getByLabel('姓名').fill('👩‍👩‍👧‍👦 مريم')
  await page.getByLabel('密码', { exact: true }).fill('a long enough password')
  await page.getByLabel('团队名称').fill('👩🏽‍🚀'.repeat(9))
  await click(page.getByRole('button', { name: '创建账号并进入' }))
  await expectAddress(page, /^\/org-id\/[\w-]+\/app-id\/[\w-]+\/quick-start$/)
  await expect(page.getByText(/^正在等待第一条数据/)).toBeVisible()
  passed('account, team and app, to the quick start')

  await click(page.getByRole('button', { name: '发送测试事件' }))
  await expect(page.getByText('收到第一条事件：test_event')).toBeVisible()
  passed('the test event, received')
  const overview = page.locator('main [data-arrived]').getByRole('link', { name: '应用概览' })
  await expect(overview).toBeVisible({ timeout: 15_000 })
  passed('stored')
  await click(overview)
  await expect(page.locator('main').getByText('test_event').first()).toBeVisible()
  passed('on the overview')
  expect(clicks).toBeLessThanOrEqual(4)
  test.info().annotations.push({ type: 'steps', description: steps.join(' · ') })
  console.log(`from nothing to the first number, ${clicks} clicks: ${steps.join(' · ')}`)

  // The other pages show it immediately too. The quick start, which may still be leaving, has a
  // link with the same name.
  const menu = page.getByRole('navigation', { name: '应用工作台' })
  await menu.getByRole('link', { name: '事件', exact: true }).click()
  await expect(page.getByRole('row').filter({ hasText: 'test_event' })).toBeVisible()
  await page.getByRole('link', { name: '实时数据' }).click()
  await expect(page.getByRole('list', { name: '实时数据' })).toContainText('test_event')
})

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(
    `what is on screen shows the first event by itself, ${language}`,
    long,
    async ({ page, instance }) => {
      test.slow()
      const app = await openOwnApp(page, instance, 'Curl')
      await speak(page, language)
      await page.goto(entryOf(app))
      await expectAddress(page, `${entryOf(app)}/quick-start`)
      await page.getByRole('tab', { name: t('start.way.curl') }).click()
      const code = page.getByRole('group', { name: t('start.way.curl') })
      const command = (await code.textContent())!
      // The overview is open in this tab; the command runs elsewhere.
      const nav = page.getByRole('navigation', { name: t('title.workspace') })
      await nav.getByRole('link', { name: t('title.overview') }).click()
      await expectAddress(page, entryOf(app))
      await expect(page.getByRole('region', { name: t('overview.noData') })).toBeVisible()
      const answer = execFileSync('sh', ['-c', command.replace('curl ', 'curl -sS ')]).toString()
      expect(JSON.parse(answer)).toMatchObject({ data: { accepted: 1 } })
      await expect(page.getByRole('region', { name: t('overview.noData') })).toHaveCount(0, {
        timeout: 15_000,
      })
      await expect(page.locator('main').getByText('signup').first()).toBeVisible({ timeout: 5_000 })
      // It includes the client version.
      await nav.getByRole('link', { name: t('title.live') }).click()
      await expect(page.getByRole('list', { name: t('title.live') })).toContainText('signup')
    },
  )
}

test(
  'figures that all fail have one way to try again',
  long,
  async ({ page, instance, complaints }) => {
    const app = await openOwnApp(page, instance, 'Troubled')
    let broken = true
    await page.route('**/api/v1/orgs/*/data-overall', (route) =>
      broken
        ? route.fulfill({ status: 500, json: { message: '服务器内部错误', errors: [] } })
        : route.fallback(),
    )
    await page.goto(`/data-dashboard?org=${app.own.orgId}`)
    const again = page.locator('main').getByRole('button', { name: '重试' })
    await expect(again).toHaveCount(1)
    await expect(page.getByText('没有加载出来').first()).toBeVisible()
    broken = false
    await again.click()
    await expect(again).toHaveCount(0)
    await expect(page.getByText('没有加载出来')).toHaveCount(0)
    expect(complaints).toEqual([])
  },
)
