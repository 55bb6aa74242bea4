/** Signing in with an emailed code, and resetting a forgotten password. */
import { ABOUT, codeIn, linkIn, mailsTo, mailTo } from './mail'
import {
  expect,
  expectAddress,
  LANGUAGES,
  long,
  ownAccount,
  speak,
  test,
  unusedAddress,
  wordsOf,
} from './test'

const entry = /^\/org-id\//

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`by a mailed code, ${language}`, async ({ page, instance }) => {
    const { account } = ownAccount(instance, 'Code')
    await speak(page, language)
    await page.goto('/login')
    await page.getByRole('tab', { name: t('login.by.code') }).click()
    await page.getByLabel(t('field.email'), { exact: true }).fill(account.email)
    await page.getByRole('button', { name: t('code.send') }).click()
    const input = page.getByLabel(t('field.code'), { exact: true })
    await expect(input).toBeFocused()
    await expect(page.getByRole('button', { name: /\d+ (秒后|s$)/ })).toBeDisabled()
    const code = codeIn(await mailTo(instance.dataFolder, account.email, ABOUT.code))

    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
    await input.fill(wrong)
    await expect(page.getByRole('alert')).not.toBeEmpty()
    await expectAddress(page, '/login')

    // The last digit submits the code, even if all of them arrive at once.
    await input.fill(`${code.slice(0, 3)} ${code.slice(3)}`)
    await expectAddress(page, entry)

    await page.goto('/login?logout')
    await expectAddress(page, '/login')
    await expect(page.getByRole('tab', { selected: true })).toHaveText(t('login.by.code'))
  })

  test(`a forgotten password, ${language}`, async ({ page, instance }) => {
    const { account } = ownAccount(instance, 'Forgetful')
    const password = 'nine quiet harbours'
    await speak(page, language)
    await page.goto('/login')
    await page.getByLabel(t('field.email'), { exact: true }).fill(account.email)
    await page.getByRole('link', { name: t('login.forgot') }).click()
    await expectAddress(page, '/forgetPwd')
    await expect(page.getByLabel(t('field.email'), { exact: true })).toHaveValue(account.email)
    await page.getByRole('button', { name: t('forget.submit.noMail') }).click()
    await expectAddress(page, '/emailSend?purpose=reset')
    await expect(page.getByText(account.email)).toBeVisible()

    const link = linkIn(await mailTo(instance.dataFolder, account.email, ABOUT.reset))
    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('title.pwdReset'))
    const field = page.getByLabel(t('field.newPassword'), { exact: true })
    await field.fill('short')
    await page.getByRole('button', { name: t('reset.submit') }).click()
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await field.fill(password)
    await page.getByRole('button', { name: t('reset.submit') }).click()

    await expectAddress(page, '/login')
    await expect(page.getByRole('status').filter({ hasText: t('reset.done') })).toBeVisible()
    await expect(page.getByLabel(t('field.email'), { exact: true })).toHaveValue(account.email)
    await page.getByLabel(t('field.password'), { exact: true }).fill(password)
    await page.getByRole('button', { name: t('login.submit') }).click()
    await expectAddress(page, entry)

    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('validator.gone'))
    await page.getByRole('link', { name: t('reset.again') }).click()
    await expectAddress(page, '/forgetPwd')
  })
}

test(
  'an unknown address is answered like a known one, and gets no link',
  long,
  async ({ page, instance }) => {
    const email = unusedAddress()
    await page.goto('/forgetPwd')
    await page.getByLabel('邮箱').fill(email)
    await page.getByRole('button', { name: '申请重置链接' }).click()
    await expectAddress(page, '/emailSend?purpose=reset')
    await expect(page.getByText(email)).toBeVisible()
    expect(mailsTo(instance.dataFolder, email).filter(({ text }) => /pwdReset/.test(text))).toEqual(
      [],
    )
  },
)

test('a link that is used up while its form is open says so', long, async ({ page, instance }) => {
  const { account } = ownAccount(instance, 'Twice')
  await page.request.post('/api/v1/password/forget', { data: { email: account.email } })
  const link = linkIn(await mailTo(instance.dataFolder, account.email, ABOUT.reset))
  await page.goto(link)
  await page.getByLabel('新密码', { exact: true }).fill('nine quiet harbours')
  await page.request.post('/api/v1/password/reset', {
    data: { token: link.split('/').at(-1), password: 'ten quiet harbours' },
  })
  await page.getByRole('button', { name: '设置新密码' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('链接已失效')
})

test(
  'the token of a reset travels in the body, never in an address of ours',
  long,
  async ({ page, instance }) => {
    const { account } = ownAccount(instance, 'Body')
    await page.request.post('/api/v1/password/forget', { data: { email: account.email } })
    await page.goto(linkIn(await mailTo(instance.dataFolder, account.email, ABOUT.reset)))
    await page.getByLabel('新密码', { exact: true }).fill('nine quiet harbours')
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: '设置新密码' }).click()
    expect(new URL((await sent).url()).search).toBe('')
  },
)
