/** The sign-in page's weight, asset delivery, keyboard, and theme. */
import { gzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { expect, expectAddress, test } from './test'

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/** Measures the gzipped size of the scripts and styles a page loads. */
function weigh(page: Page, counts: (path: string) => boolean = () => true) {
  const weights = new Map<string, number>()
  const counted: Promise<void>[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (!/\.(js|css)$/.test(pathname) || !counts(pathname)) return
    counted.push(
      response.body().then((body) => {
        weights.set(response.url(), gzipSync(body, { level: 9 }).length)
      }),
    )
  })
  return async () => {
    await page.waitForLoadState('networkidle')
    await Promise.all(counted)
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
    return { total, files: weights.size }
  }
}

/** The chunk of components/charts/engine.ts. */
const isChartLibrary = (path: string) => /\/engine-[\w-]+\.js$/.test(path)

test('the sign-in page weighs under 250 KB of scripts and styles, which come compressed and may be kept for good', async ({
  page,
}) => {
  const weight = weigh(page)
  const answers: Record<string, string>[] = []
  page.on('response', (response) => {
    if (/\/v25\.10\.202\/assets\/.+\.js$/.test(response.url())) answers.push(response.headers())
  })
  await open(page, '/login')
  const { total, files } = await weight()
  test.info().annotations.push({ type: 'weight', description: `${total} bytes in ${files} files` })
  console.log(`sign-in page: ${(total / 1000).toFixed(1)} KB gzipped in ${files} files`)
  expect(files).toBeGreaterThan(3)
  expect(total).toBeLessThan(250_000)
  expect(answers.length).toBeGreaterThan(3)
  for (const headers of answers) expect(headers['cache-control']).toContain('immutable')
  const packings = answers.map((headers) => headers['content-encoding'])
  expect(packings.some((packing) => packing === 'br' || packing === 'gzip')).toBe(true)
})

test('each page loads what it needs, under 150 KB more than the one before it, and charts after the numbers', async ({
  signedIn: page,
}) => {
  await open(page, '/organization/list')
  await page.waitForLoadState('networkidle')
  const weight = weigh(page, (path) => !isChartLibrary(path))
  const order: string[] = []
  const scripts: string[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    scripts.push(pathname)
    if (isChartLibrary(pathname)) order.push('charts')
    if (pathname.endsWith('/data-overall')) order.push('numbers')
  })
  await page.getByRole('link', { name: '数据看板' }).click()
  await expect(page.getByRole('region', { name: '事件数', exact: true })).toContainText(/\d/)
  const { total, files } = await weight()
  console.log(`data dashboard: ${(total / 1000).toFixed(1)} KB more in ${files} files`)
  expect(total).toBeLessThan(150_000)
  expect(order[0]).toBe('numbers')

  const more = weigh(page)
  expect(scripts.filter((path) => /AccountPage/.test(path))).toEqual([])
  await page.getByRole('button', { name: /账号菜单/ }).click()
  await page.getByRole('menuitem', { name: '个人资料' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('个人资料')
  const account = await more()
  console.log(
    `account page: ${(account.total / 1000).toFixed(1)} KB more in ${account.files} files`,
  )
  expect(scripts.filter((path) => /AccountPage/.test(path))).not.toEqual([])
  expect(account.total).toBeLessThan(150_000)
})

test('everything can be done by keyboard', async ({ page, instance }) => {
  await open(page, '/login')
  await expect(page.getByLabel('邮箱')).toBeFocused()
  await page.keyboard.type(instance.account.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(instance.account.password)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: '显示密码' })).toBeFocused()
  await page.keyboard.press('Space')
  await expect(page.getByLabel('密码', { exact: true })).toHaveAttribute('type', 'text')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expectAddress(page, /^\/org-id\/.*\/quick-start$/)

  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: '跳到主要内容' })).toBeFocused()
  await expect(page.getByRole('link', { name: '跳到主要内容' })).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
})

test.describe('theme', () => {
  test.use({ colorScheme: 'dark' })

  test('follows the system until one is chosen, and then that, without a flash', async ({
    page,
  }) => {
    await open(page, '/login')
    const theme = page.locator('html')
    await expect(theme).toHaveAttribute('data-theme', 'dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await expect(theme).toHaveAttribute('data-theme', 'light')

    await page.getByTitle('深色').click()
    await expect(theme).toHaveAttribute('data-theme', 'dark')

    // Before any module of the console has run.
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.reload({ waitUntil: 'commit' })
    await expect(theme).toHaveAttribute('data-theme', 'dark')
  })
})
