/** The frame of an app's workspace: who sees what, how to get there, and that every page fits. */
import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { addMember, openOwnApp } from './app'
import { chooseAction, dataOf, row } from './team'
import {
  expect,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  LANGUAGES,
  long,
  resize,
  speak,
  test,
  THEMES,
  walkTo,
  wordsOf,
} from './test'
import { entryOf, heading, openWithOrders } from './workspace'

const CLOSED = [
  'events',
  'analyses',
  'analyses/trend',
  'cohorts',
  'live',
  'users',
  'users/user/lin.xiaoyu',
]

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`someone with little access sees little, ${language}`, long, async ({ page, instance }) => {
    const app = await openOwnApp(page, instance, 'Owner')
    const viewer = await addMember(page, app.own, {
      appId: app.appId,
      role: 'viewer',
      name: 'Onlooker',
    })
    await speak(viewer, language)
    await viewer.goto(entryOf(app))
    const nav = viewer.getByRole('navigation', { name: t('title.workspace') })
    await expect(nav.getByRole('link')).toHaveText([t('title.overview'), t('title.quickStart')])
    for (const closed of CLOSED) {
      await viewer.goto(`${entryOf(app)}/${closed}`)
      const from = encodeURIComponent(`${entryOf(app)}/${closed}`)
      await expectAddress(viewer, `/403?from=${from}`)
      await expect(heading(viewer)).toHaveText(t('forbidden.title'))
      await expect(viewer.getByText(app.own.account.email)).toBeVisible()
    }
    await viewer.goto(`${entryOf(app)}/quick-start`)
    await expect(viewer.getByText(t('appDetail.snippetFill'))).toBeVisible()
    await viewer.context().close()
  })
}

/** The app the server remembers as last opened. */
async function lastApp(page: Page): Promise<string> {
  const user = await dataOf<{ last_app: { app_id: string } }>(
    await page.request.get('/api/v1/current'),
  )
  return user.last_app.app_id
}

test(
  'the app that was opened last is where one lands, without a reload',
  long,
  async ({ page, instance }) => {
    const app = await openOwnApp(page, instance, 'Lander')
    const second = await dataOf<{ id: string }>(
      await page.request.post(`/api/v1/orgs/${app.own.orgId}/apps`, {
        data: { name: '官网', region: 'local', timezone: 'Asia/Shanghai' },
      }),
    )
    await page.goto(`${entryOf(app)}/events`)
    await expect(heading(page)).toHaveText('事件')
    await page.evaluate(() => Object.assign(window, { stillHere: true }))

    const switcher = page.getByRole('combobox', { name: /可搜索切换/ })
    await switcher.click()
    await switcher.fill('官')
    await page.locator('.ant-select-item-option').filter({ hasText: '官网' }).click()
    const other = entryOf({ ...app, appId: second.id })
    await expectAddress(page, `${other}/events`)
    // Home is the quick start while an app has nothing to show yet.
    await page.getByRole('link', { name: 'Atrium 首页' }).click()
    await expectAddress(page, `${other}/quick-start`)
    expect(await page.evaluate(() => 'stillHere' in window)).toBe(true)

    await expect.poll(() => lastApp(page)).toBe(second.id)
    await page.goto('/')
    await expectAddress(page, `${other}/quick-start`)
    await expect(page.getByRole('button', { name: /^当前团队：Lander的团队/ })).toBeVisible()
    await page.goto(`/${app.appId}/authManagement/appDetail`)
    await expect(page.getByRole('button', { name: /^当前团队：Lander的团队/ })).toBeVisible()
  },
)

test('an archived app stays readable', long, async ({ page, instance }) => {
  const app = await openOwnApp(page, instance, 'Rest')
  await dataOf(await page.request.post(`/api/v1/apps/${app.appId}/archive`))
  await page.goto(`${entryOf(app)}/events`)
  await expect(page.getByRole('region', { name: '应用已归档，当前为只读' })).toBeVisible()
  await expect(page.getByRole('heading', { name: '还没有事件' })).toBeVisible()
  await page.goto(`${entryOf(app)}/no/such/page`)
  await expectAddress(page, entryOf(app))
})

const asking = (kind: string, question: object) =>
  `/analyses/${kind}?${new URLSearchParams({ q: JSON.stringify(question) })}`

const PAGES = [
  '',
  '/events',
  '/analyses',
  asking('trend', { s: [['order']], b: ['$os'] }),
  asking('funnel', { n: [['signup'], ['order']] }),
  '/cohorts',
  asking('retention', { a: ['order'] }),
  asking('paths', { from: ['order'] }),
  asking('distribution', { e: ['order'] }),
  asking('lifecycle', {}),
  '/live',
  '/users',
  '/users/device/d-3',
  '/quick-start',
]

test.describe('in light and dark', () => {
  test('every page is accessible and fits a phone', async ({ page, instance }) => {
    test.slow()
    const app = await openWithOrders(page, instance, 'Narrow')
    await page.goto('/organization/list')
    await expect(heading(page)).toBeVisible()
    for (const [index, path] of PAGES.entries()) {
      await test.step(path, async () => {
        await resize(page, 1280, 800)
        await walkTo(page, entryOf(app) + path)
        await expect(heading(page)).toBeVisible()
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
        // On a wide screen in one theme and on a phone in the other, which is that of the next page.
        const [wide, narrow] = index % 2 === 0 ? THEMES : THEMES.toReversed()
        await expectAccessibleInOneTheme(page, wide)
        await resize(page, 360, 780)
        await expectAccessibleInOneTheme(page, narrow)
        await expectToFit(page)
      })
    }
  })
})

test('each page weighs under 150 KB more than the one before it, charts apart', async ({
  page,
  instance,
}) => {
  const app = await openOwnApp(page, instance, 'Light')
  const nav = page.getByRole('navigation', { name: '应用工作台' })
  await page.goto(`/organization/config/config-app?org=${app.own.orgId}`)
  await expect(row(page, 'Default')).toBeVisible()
  await page.waitForLoadState('networkidle')
  let weights: Promise<number>[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!/\.(js|css)$/.test(pathname) || /\/engine-[\w-]+\.js$/.test(pathname)) return
    weights.push(response.body().then((body) => gzipSync(body, { level: 9 }).length))
  })
  for (const name of ['快速开始', '应用概览', '事件', '分析', '实时数据', '用户与设备']) {
    weights = []
    if (name === '快速开始') await chooseAction(page, '“Default”的操作', '进入应用')
    else await nav.getByRole('link', { name, exact: true }).click()
    await expect(heading(page)).toHaveText(name)
    const total = (await Promise.all(weights)).reduce((sum, weight) => sum + weight, 0)
    console.log(`${name}: ${(total / 1000).toFixed(1)} KB more`)
    expect(total).toBeLessThan(150_000)
  }
})
