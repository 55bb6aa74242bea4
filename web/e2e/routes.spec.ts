/** How URLs resolve: redirects, trailing slashes, the root path, and unknown routes. */
import { expect, expectAddress, long, test } from './test'

/** All other redirects are in src/routes.test.tsx. */
const redirects: [from: string, to: string | RegExp][] = [
  ['/organization/authManagement/appDetail', '/organization/list'],
  // Team pages add the team to their URL.
  ['/data-dashboard/', /^\/data-dashboard\?org=[\w-]+$/],
  ['/organization/list/?org=1#top', '/organization/list?org=1#top'],
  ['/login/?redirect=%2F403', '/403'],
]

test('redirects are resolved and trailing slashes removed', async ({ signedIn: page }) => {
  for (const [from, to] of redirects) {
    await test.step(`${from} → ${to}`, async () => {
      await page.goto(from)
      await expectAddress(page, to)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    })
  }
})

test(
  'the root path leads to the application entry, or to its redirect',
  long,
  async ({ signedIn: page, instance }) => {
    await page.goto('/')
    await expectAddress(page, new RegExp(`^/org-id/${instance.orgId}/app-id/[\\w-]+/quick-start$`))
    await page.goto('/?redirect=%2Fdata-dashboard%3Forg%3D1')
    await expectAddress(page, '/data-dashboard?org=1')
  },
)

test('the not-found page keeps the shell for someone signed in, and only then', async ({
  page,
  instance,
}) => {
  await page.goto('/no/such/page')
  await expect(page.getByRole('link', { name: '前往登录' })).toBeVisible()
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await expectAddress(page, '/no/such/page')

  await page.request.post('/api/v1/login', { data: instance.account })
  await page.reload()
  await expect(page.getByRole('navigation', { name: '主导航' })).toBeVisible()
})

test('a path that begins with two slashes stays ours', async ({ page, instance }) => {
  await page.goto(`${instance.url}//evil.example/`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('页面不存在')
  expect(new URL(page.url()).origin).toBe(instance.url)
})

test('navigation is by link, keeps the organization and moves the focus', async ({
  signedIn: page,
}) => {
  await page.goto('/organization/config/member?org=o-1')
  await page.getByRole('link', { name: '已归档应用' }).click()
  await expectAddress(page, '/organization/config/archived-app?org=o-1')
  await expect(page.getByRole('link', { name: '已归档应用' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  await expect(page.getByRole('main')).toBeFocused()
  await page.getByRole('link', { name: '数据看板' }).click()
  await expectAddress(page, '/data-dashboard?org=o-1')
})
