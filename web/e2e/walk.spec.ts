/** The first minutes with Atrium, from the printed link to signing out by URL. */
import { expect, expectAddress, test } from './test'

test('first start, account, landing, sign-out, sign-in, sign-out by address', async ({
  page,
  emptyServer,
}) => {
  const password = 'a long enough password'
  const entry = /^\/org-id\/[\w-]+\/app-id\/[\w-]+\/quick-start$/

  await test.step('the setup link makes the first account', async () => {
    await page.goto(await emptyServer.setupLink)
    await expect(page).toHaveTitle('验证邮箱-Atrium')
    await page.getByRole('button', { name: '创建账号并进入' }).click()
    await expect(page.getByText('请输入团队名称')).toBeVisible()

    await page.getByLabel('邮箱', { exact: true }).fill('first@example.com')
    await page.getByLabel('姓名').fill('第一人')
    await page.getByLabel('密码', { exact: true }).fill('short')
    await page.getByLabel('团队名称').fill('一号团队')
    await expect(page.getByText('密码长度为 8–128 个字符')).toHaveCSS('color', 'rgb(201, 37, 45)')
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.getByRole('button', { name: '创建账号并进入' }).click()
  })

  await test.step('and lands in the quick start of the application', async () => {
    await expectAddress(page, entry)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('快速开始')
    await expect(page).toHaveTitle('快速开始 · Default-Atrium')
  })

  await test.step('the person menu signs out', async () => {
    await page.getByRole('button', { name: '第一人 的账号菜单' }).click()
    await page.getByRole('menuitem', { name: '退出登录' }).click()
    await expectAddress(page, '/login')
    await expect(page).toHaveTitle('登录-Atrium')
  })

  await test.step('a wrong password is told in the form', async () => {
    await page.getByLabel('邮箱').fill('first@example.com')
    await page.getByLabel('密码', { exact: true }).fill('not the password')
    await page.getByRole('button', { name: '登录' }).click()
    await expect(page.getByRole('alert')).not.toBeEmpty()
    await expectAddress(page, '/login')
  })

  await test.step('the right one signs in', async () => {
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.getByLabel('密码', { exact: true }).press('Enter')
    await expectAddress(page, entry)
  })

  await test.step('/login?logout signs out and keeps the redirect', async () => {
    await page.goto(`${emptyServer.url}/login?logout&redirect=%2Fdata-dashboard`)
    await expectAddress(page, '/login?redirect=%2Fdata-dashboard')
    await expect(page.getByRole('button', { name: '登录' })).toBeVisible()
    expect((await page.request.get(`${emptyServer.url}/api/v1/current`)).status()).toBe(401)
  })

  await test.step('the setup link works only once', async () => {
    await page.goto(await emptyServer.setupLink)
    await expect(page.getByRole('heading', { name: '链接已失效' })).toBeVisible()
    await page.getByRole('link', { name: '前往登录' }).click()
    await expectAddress(page, '/login')
  })
})
