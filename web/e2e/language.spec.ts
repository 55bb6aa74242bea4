import { expect, expectAddress, long, ownAccount, signInByCall, test } from './test'

const heading = (page: import('@playwright/test').Page) => page.getByRole('heading', { level: 1 })

test('Chinese by default, English by address, and the choice is remembered', async ({ page }) => {
  await page.goto('/login')
  await expect(heading(page)).toHaveText('欢迎回来')
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN')

  await page.goto('/login?lang=en-US')
  await expect(heading(page)).toHaveText('Welcome back')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US')
  await expect(page).toHaveTitle('Sign in-Atrium')

  await page.goto('/login?lang=fr-FR')
  await expect(heading(page)).toHaveText('Welcome back')
})

test('switching needs no reload, keeps what was typed and asks the server in the new language', async ({
  page,
}) => {
  await page.goto('/login')
  await page.getByLabel('邮箱').fill('someone@example.com')
  await page.evaluate(() => Object.assign(window, { sameDocument: true }))
  await page.getByTitle('English').click()

  await expect(heading(page)).toHaveText('Welcome back')
  await expect(page.getByLabel('Email')).toHaveValue('someone@example.com')
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true)

  const asked = page.waitForRequest('**/api/v1/login')
  await page.getByLabel('Password', { exact: true }).fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  expect((await asked).headers()['accept-language']).toBe('en-US')
  await expect(page.getByRole('alert')).toHaveText(/^[\x20-\x7e’]+$/)
})

test('a form keeps what is typed when the language changes, and numbers and dates follow', async ({
  page,
  instance,
}) => {
  await signInByCall(page, ownAccount(instance, 'Halfway'))
  await page.goto('/account/user-info')
  await page.getByLabel('姓名').fill('写了一半')
  const moments = page.locator('#sessions time').first()
  await expect(moments).toHaveAttribute('title', /年/)
  await page.getByTitle('English').click()
  await expect(heading(page)).toHaveText('Profile')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('写了一半')
  await expect(moments).toHaveAttribute('title', /^[\x20-\x7e]+$/)
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-US')
  const saved = page.waitForRequest('**/api/v1/current/profile')
  await page.locator('#profile').getByRole('button', { name: 'Save' }).click()
  expect((await saved).headers()['accept-language']).toBe('en-US')
  await expect(page.getByRole('button', { name: 'Account menu of 写了一半' })).toBeVisible()
})

test('English letters come from a Latin font and Chinese ones from a Chinese font, but an apostrophe has the room of one', async ({
  page,
}) => {
  const fonts = () => page.evaluate(() => getComputedStyle(document.body).fontFamily)
  const before = async (one: string, other: string) => {
    const list = await fonts()
    return list.includes(one) && list.indexOf(one) < list.indexOf(other)
  }
  await page.goto('/login?lang=en-US')
  await expect(heading(page)).toHaveText('Welcome back')
  expect(await before('Arial', 'Noto Sans CJK SC')).toBe(true)
  expect(await before('Roboto', 'Microsoft YaHei')).toBe(true)
  const widths = await page.evaluate(() =>
    ['p', 'button'].map((tag) => {
      const box = document.body.appendChild(document.createElement(tag))
      const text = box.appendChild(document.createElement('span'))
      text.style.fontFamily = "'Noto Sans CJK SC'"
      text.style.fontSize = '100px'
      text.textContent = '’'
      const { width } = text.getBoundingClientRect()
      box.remove()
      return width
    }),
  )
  for (const width of widths) expect(width).toBeLessThan(50)
  await page.getByTitle('中文').click()
  await expect(heading(page)).toHaveText('欢迎回来')
  expect(await before('Noto Sans CJK SC', 'Arial')).toBe(true)
})

test('a browser that prefers English is offered it once', long, async ({ browser, instance }) => {
  const context = await browser.newContext({ baseURL: instance.url, locale: 'en-GB' })
  const visitor = await context.newPage()
  await visitor.goto('/login')
  await expect(heading(visitor)).toHaveText('欢迎回来')
  await visitor.getByRole('button', { name: 'Switch to English' }).click()
  await expect(heading(visitor)).toHaveText('Welcome back')
  await expect(visitor.getByText('Prefer English?')).toHaveCount(0)
  await visitor.getByTitle('中文').click()
  await visitor.reload()
  await expect(heading(visitor)).toHaveText('欢迎回来')
  await expect(visitor.getByText('Prefer English?')).toHaveCount(0)
  await context.close()
})

test('a pack is fetched once', long, async ({ page }) => {
  const packs: string[] = []
  page.on('request', (request) => {
    const name = /\/v25\.10\.202\/locale\/(.+)$/.exec(request.url())?.[1]
    if (name) packs.push(name)
  })
  await page.goto('/login')
  for (const name of ['English', '中文', 'English']) {
    await page.getByTitle(name).click()
    await expect(heading(page)).toHaveText(name === 'English' ? 'Welcome back' : '欢迎回来')
  }
  expect(packs).toEqual(['zh-CN.json', 'en-US.json'])
})

test('a pack that fails is said in both languages and can be retried, the first as any later one', async ({
  page,
}) => {
  await page.route('**/locale/zh-CN.json', (route) => route.abort())
  await page.goto('/login')
  const failure = page.getByRole('alert')
  const retry = page.getByRole('button', { name: '重试 / Retry' })
  await expect(failure).toContainText('未能加载语言包')
  await expect(failure).toContainText('could not be loaded')
  await page.unroute('**/locale/zh-CN.json')
  await retry.click()
  await expect(heading(page)).toHaveText('欢迎回来')

  await page.route('**/locale/en-US.json', (route) => route.fulfill({ status: 503 }))
  await page.getByTitle('English').click()
  await expect(failure).toContainText('could not be loaded')
  await expect(heading(page)).toHaveText('欢迎回来')
  await page.unroute('**/locale/en-US.json')
  await retry.click()
  await expect(heading(page)).toHaveText('Welcome back')
  await expect(failure).toHaveCount(0)
})

test('the shell speaks both languages', long, async ({ signedIn: page }) => {
  await page.goto('/organization/config/config-app?lang=en-US')
  await expect(page.getByRole('navigation', { name: 'Main navigation' })).toContainText(
    'Data dashboard',
  )
  await page.getByTitle('中文').click()
  await expect(page.getByRole('navigation', { name: '主导航' })).toContainText('数据看板')
  await expectAddress(page, /^\/organization\/config\/config-app\?lang=en-US&org=/)
})
