/** Access: sign-in, the guard, expired sessions, and where redirects lead. */
import { addressOf, expect, expectAddress, long, signInByCall, test } from './test'

test('a page that needs a user leads to sign-in and back', async ({ page, instance }) => {
  await page.goto('/organization/config/member?org=o-1#people')
  await expectAddress(
    page,
    `/login?redirect=${encodeURIComponent('/organization/config/member?org=o-1#people')}`,
  )
  await page.getByLabel('邮箱').fill(instance.account.email)
  await page.getByLabel('密码', { exact: true }).fill(instance.account.password)
  await page.getByRole('button', { name: '登录' }).click()
  await expectAddress(page, '/organization/config/member?org=o-1#people')
})

test('the sign-in page leads on whoever is signed in', long, async ({ signedIn: page }) => {
  await page.goto('/login')
  await expectAddress(page, /^\/org-id\//)
  await page.goto('/login?redirect=%2F403')
  await expectAddress(page, '/403')
})

test('someone not signed in is asked for nothing but to sign in', long, async ({ page }) => {
  await page.goto('/data-dashboard')
  await expect(page.getByRole('button', { name: '登录' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

/** One of each kind; session/destination.test.ts tries every other trick. */
const elsewhere = ['//evil.example', 'javascript:alert(document.domain)', '/login?logout']

test(
  'a redirect never leaves for a place we do not know',
  long,
  async ({ signedIn: page, instance }) => {
    const left: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(instance.url)) left.push(request.url())
    })
    for (const target of elsewhere) {
      await test.step(target, async () => {
        await page.goto(`/login?redirect=${encodeURIComponent(target)}`)
        await expectAddress(page, /^\/org-id\//)
      })
    }
    expect(left).toEqual([])
  },
)

test(
  'a session that ended elsewhere leads to sign-in and back',
  long,
  async ({ signedIn: page, instance }) => {
    await page.goto('/no-auth?redirect=%2Fdata-dashboard')
    await expect(page.getByRole('button', { name: '继续' })).toBeVisible()
    await page.request.post('/api/v1/logout')
    await page.getByRole('button', { name: '继续' }).click()
    await expectAddress(
      page,
      `/login?redirect=${encodeURIComponent('/no-auth?redirect=%2Fdata-dashboard')}`,
    )

    // Signing out discards loaded data: going back asks again.
    await page.goBack()
    await expectAddress(page, /^\/login\?redirect=/)
    await signInByCall(page, instance)
    await page.reload()
    await expectAddress(page, '/no-auth?redirect=%2Fdata-dashboard')
  },
)

test(
  'someone without access is told so, and let in once it arrives',
  long,
  async ({ signedIn: page, instance }) => {
    // No account on this server lacks access yet, so this one answer is rewritten.
    let allowed = false
    await page.route('**/api/v1/current', async (route) => {
      const answer = await route.fetch()
      const body = (await answer.json()) as { data: object }
      await route.fulfill({
        response: answer,
        json: { data: { ...body.data, allow_visited_app: allowed } },
      })
    })

    await page.goto('/data-dashboard?org=o-1')
    await expectAddress(page, `/no-auth?redirect=${encodeURIComponent('/data-dashboard?org=o-1')}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('暂无团队或应用权限')
    await expect(page.getByText(instance.account.email)).toBeVisible()

    await page.getByRole('button', { name: '重新检查' }).click()
    await expect(page.getByRole('status')).toContainText('暂时还没有权限')

    allowed = true
    await page.getByRole('button', { name: '重新检查' }).click()
    await expectAddress(page, '/data-dashboard?org=o-1')
  },
)

test(
  'without access, pages that need no user stay open, and signing out works',
  long,
  async ({ signedIn: page }) => {
    await page.route('**/api/v1/current', async (route) => {
      const answer = await route.fetch()
      if (!answer.ok()) return route.fulfill({ response: answer })
      const { data } = (await answer.json()) as { data: Record<string, unknown> }
      delete data.allow_visited_app
      await route.fulfill({ response: answer, json: { data } })
    })
    await page.goto('/forgetPwd')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('忘记密码')
    await page.goto('/403')
    await expectAddress(page, '/no-auth?redirect=%2F403')
    await page.getByRole('link', { name: '退出登录' }).click()
    await expectAddress(page, '/login')
  },
)

test('too many failures are answered with a countdown', long, async ({ page }) => {
  await page.route('**/api/v1/login', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '2' },
      json: { message: '尝试次数过多', errors: [{ error: '尝试次数过多', code: 'throttled' }] },
    }),
  )
  await page.goto('/login')
  await page.getByLabel('邮箱').fill('someone@example.com')
  await page.getByLabel('密码', { exact: true }).fill('whatever it is')
  await page.getByRole('button', { name: '登录' }).click()
  await expect(page.getByRole('alert').first()).toHaveText('尝试次数过多')
  await expect(page.getByRole('button', { name: /秒后重试/ })).toBeDisabled()
  await expect(page.getByRole('button', { name: '登录' })).toBeEnabled()
})

test(
  'a server that fails is said so on the way to sign-in, which does not loop',
  long,
  async ({ signedIn: page }) => {
    await page.route('**/api/v1/envs', (route) => route.fulfill({ status: 500, body: '' }))
    await page.goto('/data-dashboard')
    await expectAddress(page, '/login?redirect=%2Fdata-dashboard')
    const notice = page.locator('.ant-notification-notice').first()
    await expect(notice).toContainText('服务器出错了')
    const box = (await notice.boundingBox())!
    const { width } = page.viewportSize()!
    expect(Math.round(box.width)).toBe(384)
    expect(Math.round(width - box.x - box.width)).toBe(24)
    expect(Math.round(box.y)).toBe(24)
    expect(addressOf(page)).toBe('/login?redirect=%2Fdata-dashboard')
  },
)

test('signing out that fails says so and can be retried', long, async ({ signedIn: page }) => {
  let refuses = true
  let calls = 0
  await page.route('**/api/v1/logout', (route) => {
    calls += 1
    return refuses ? route.abort() : route.continue()
  })
  await page.goto('/login?logout')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('未能退出登录')
  const failed = calls
  const retry = page.getByRole('button', { name: '重试' })
  await expect(retry).toBeEnabled()
  refuses = false
  await retry.dispatchEvent('click')
  await expectAddress(page, '/login')
  expect(calls).toBeGreaterThan(failed)
})
