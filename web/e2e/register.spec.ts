/**
 * Registering with an email address, in both languages, and what shows if registration is closed.
 */
import { ABOUT, linkIn, mailTo } from './mail'
import { expect, expectAddress, LANGUAGES, long, speak, test, unusedAddress, wordsOf } from './test'

const entry = /^\/org-id\/[\w-]+\/app-id\/[\w-]+\/quick-start$/

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`from an address to the first app, ${language}`, async ({ page, instance }) => {
    const email = unusedAddress()
    await speak(page, language)
    await page.goto('/login')
    await page.getByRole('link', { name: t('login.register') }).click()
    await page.getByLabel(t('field.email'), { exact: true }).fill('not an address')
    await page.getByRole('button', { name: t('register.submit.noMail') }).click()
    await expect(page.getByText(t('field.email.invalid'))).toBeVisible()
    await page.getByLabel(t('field.email'), { exact: true }).fill(email)
    await page.getByRole('button', { name: t('register.submit.noMail') }).click()

    await expectAddress(page, '/emailSend?purpose=register')
    await expect(page.getByText(email)).toBeVisible()
    await expect(page.getByText('outbox')).toBeVisible()
    await expect(page.getByRole('button', { name: /\d+ (秒后|s$)/ })).toBeDisabled()
    // The email is kept with the page, not in its URL.
    await page.reload()
    await expect(page.getByText(email)).toBeVisible()

    const mail = await mailTo(instance.dataFolder, email, ABOUT.address)
    expect(/[\u4e00-\u9fff]/.test(mail.subject)).toBe(language === 'zh-CN')
    await page.goto(linkIn(mail))
    const address = page.getByLabel(t('field.email'), { exact: true })
    await expect(address).toHaveValue(email)
    await expect(address).not.toBeEditable()
    await page.getByLabel(t('field.name'), { exact: true }).fill('Lin')
    const password = page.getByLabel(t('field.password'), { exact: true })
    const meter = page.getByRole('meter', { name: t('strength.label') })
    await password.fill('password1')
    await expect(meter).toHaveAttribute('aria-valuetext', t('strength.level1'))
    await expect(page.getByText(t('strength.common'))).toBeVisible()
    // Long and varied, but guessable to the server: a season and a year.
    await password.fill('Dongtian2026!')
    await expect(meter).toHaveAttribute('aria-valuetext', t('strength.level2'))
    await password.fill('seven blue herons')
    await expect(meter).toHaveAttribute('aria-valuetext', t('strength.level4'))
    await page.getByLabel(t('field.team'), { exact: true }).fill('Harbour')
    await page.getByRole('button', { name: t('validator.register.submit') }).click()
    await expectAddress(page, entry)

    const current = await page.request.get('/api/v1/current')
    const { data } = (await current.json()) as { data: Record<string, unknown> }
    expect(data).toMatchObject({ email, name: 'Lin', timezone: 'Asia/Shanghai' })

    await page.goto(linkIn(mail))
    await expect(page.getByRole('heading', { name: t('validator.gone') })).toBeVisible()
    await expect(page.getByRole('link', { name: t('validator.again') })).toBeVisible()
  })
}

test('asked again too soon, it counts down from what the server says', long, async ({ page }) => {
  const email = unusedAddress()
  await page.request.post('/api/v1/register', { data: { email } })
  await page.goto('/login?register')
  await page.getByLabel('邮箱').fill(email)
  await page.getByRole('button', { name: '申请注册链接' }).click()
  await expect(page.getByRole('alert').first()).not.toBeEmpty()
  await expect(page.getByRole('button', { name: /请在 \d+ 秒后重试/ })).toBeDisabled()
})

test('sends again from the page that says it was sent', long, async ({ page, instance }) => {
  const email = unusedAddress()
  await page.goto(`/emailSend?purpose=register&email=${email}`)
  await page.getByRole('button', { name: '重新生成' }).click()
  await expect(page.getByRole('button', { name: /秒后可重新生成/ })).toBeDisabled()
  expect(linkIn(await mailTo(instance.dataFolder, email, ABOUT.address))).toContain(
    '/emailValidator/',
  )
})

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`by invitation only, it says so, ${language}`, long, async ({ page, closedServer }) => {
    await speak(page, language)
    await page.goto(`${closedServer.url}/login`)
    await expect(page.getByText(t('login.inviteOnly'))).toBeVisible()
    await expect(page.getByRole('link', { name: t('login.register') })).toHaveCount(0)
    await expect(page.getByRole('link', { name: t('login.forgot') })).toBeVisible()

    await page.goto(`${closedServer.url}/login?register`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('register.closed'))
    await page.getByRole('link', { name: t('common.toSignIn') }).click()
    await expectAddress(page, '/login')
  })
}
