/** An instance also answers at addresses other than the configured one. */
import { expect, long, test } from './test'

test(
  'someone who came by another address stays there',
  long,
  async ({ page, instance, baseURL }) => {
    const other = new URL(baseURL!)
    other.hostname = 'localhost'
    await page.goto(new URL('/login', other).href)
    await page.getByLabel('邮箱').fill(instance.account.email)
    await page.getByLabel('密码', { exact: true }).fill(instance.account.password)
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await expect(page).toHaveURL(/\/org-id\/.+\/app-id\/.+/)
    expect(new URL(page.url()).hostname).toBe('localhost')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  },
)
