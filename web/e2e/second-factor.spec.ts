/** Two-step verification: turning it on, signing in with it, losing the phone, turning it off. */
import type { Page } from '@playwright/test'
import { signInLink } from './server'
import {
  expect,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  fillSignIn,
  LANGUAGES,
  long,
  ownAccount,
  rewriteUser,
  signInByCall,
  speak,
  test,
  wordsOf,
  type Instance,
  type Language,
} from './test'
import { totpCode } from './totp'

const PAGE = '/account/user-info'
const entry = /^\/org-id\//

/** From the open dialog to the stored codes. */
async function enroll(page: Page, language: Language) {
  const t = wordsOf(language)
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('img', { name: t('totp.qr') })).toBeVisible()
  const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '')
  expect(secret).toMatch(/^[A-Z2-7]{16,}$/)
  await dialog.getByLabel(t('totp.code')).fill(totpCode(secret))

  // The codes are shown once, so the dialog closes only on confirmation.
  const codes = dialog.getByRole('listitem')
  await expect(codes).toHaveCount(10)
  const recovery = await codes.allInnerTexts()
  for (const code of recovery) expect(code).toMatch(/^[a-z0-9]{5}-[a-z0-9]{5}$/)
  await page.keyboard.press('Escape')
  await expect(codes).toHaveCount(10)
  const done = dialog.getByRole('button', { name: t('recovery.done') })
  await expect(done).toBeDisabled()
  await dialog.getByLabel(t('recovery.stored')).check()
  await done.click()
  await expect(dialog).toHaveCount(0)
  return { secret, recovery }
}

async function enrolByCall(page: Page, own: Instance) {
  await signInByCall(page, own)
  const begun = await page.request.post('/api/v1/current/mfa/totp')
  const { secret } = ((await begun.json()) as { data: { secret: string } }).data
  const confirmed = await page.request.put('/api/v1/current/mfa/totp', {
    data: { code: totpCode(secret) },
  })
  expect(confirmed.status()).toBe(200)
  await page.request.post('/api/v1/logout')
  return secret
}

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`from turning it on to turning it off, ${language}`, async ({ page, instance }) => {
    test.slow()
    const own = ownAccount(instance, 'Twofold')
    const section = page.locator('#mfa')
    await speak(page, language)
    await signInByCall(page, own)
    await page.goto(`${PAGE}#mfa`)

    await section.getByRole('button', { name: t('totp.enable') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('totp.code')).fill('000000')
    await expect(dialog.getByLabel(t('totp.code'))).toHaveAttribute('aria-invalid', 'true')
    const { secret, recovery } = await enroll(page, language)
    await expect(section).toContainText(t('totp.on'))
    await expect(section).toContainText(t('recovery.left', { count: 10 }))

    await test.step('sign in with the app', async () => {
      await page.goto('/login?logout&redirect=%2Fdata-dashboard')
      await fillSignIn(page, language, own.account)
      const code = page.getByLabel(t('field.code'), { exact: true })
      await expect(code).toBeFocused()
      expect(await page.request.get('/api/v1/current').then((answer) => answer.status())).toBe(401)
      await code.fill(totpCode(secret, 1))
      await expectAddress(page, /^\/data-dashboard\?org=/)
    })

    await test.step('sign in with a recovery code', async () => {
      await page.goto('/login?logout')
      await fillSignIn(page, language, own.account)
      await page.getByRole('button', { name: t('mfa.use.recovery') }).click()
      const code = page.getByLabel(t('field.recoveryCode'), { exact: true })
      await code.fill(recovery[0]!.replace('-', ' ').toUpperCase())
      await expect(code).toHaveValue(recovery[0]!)
      await page.getByRole('button', { name: t('login.submit'), exact: true }).click()
      await expectAddress(page, entry)
    })

    await test.step('new recovery codes', async () => {
      await page.goto(PAGE)
      await expect(section).toContainText(t('recovery.left', { count: 9 }))
      await section.getByRole('button', { name: t('recovery.renew') }).click()
      await dialog.getByRole('button', { name: t('recovery.renew') }).click()
      const codes = page.getByRole('dialog', { name: t('recovery.title') })
      await expect(codes.getByRole('listitem')).toHaveCount(10)
      expect(await codes.getByRole('listitem').allInnerTexts()).not.toContain(recovery[1])
      const saved = page.waitForEvent('download')
      await codes.getByRole('button', { name: t('recovery.download') }).click()
      expect((await saved).suggestedFilename()).toBe('atrium-recovery-codes.txt')
      await codes.getByLabel(t('recovery.stored')).check()
      await codes.getByRole('button', { name: t('recovery.done') }).click()
      await expect(section).toContainText(t('recovery.left', { count: 10 }))
    })

    await test.step('off again', async () => {
      await section.getByRole('button', { name: t('totp.disable') }).click()
      await dialog.getByRole('button', { name: t('totp.disable') }).click()
      await expect(section.getByRole('button', { name: t('totp.enable') })).toBeVisible()
      await page.goto('/login?logout')
      await fillSignIn(page, language, own.account)
      await expectAddress(page, entry)
    })
  })

  test(
    `too many wrong codes lead back to the first step, ${language}`,
    long,
    async ({ page, instance }) => {
      const own = ownAccount(instance, 'Guesser')
      await enrolByCall(page, own)
      await speak(page, language)
      await page.goto('/login')
      await fillSignIn(page, language, own.account)
      const code = page.getByLabel(t('field.code'), { exact: true })
      const expired = page.getByRole('alert').filter({ hasText: t('mfa.expired') })
      for (let tries = 0; tries < 6 && (await expired.count()) === 0; tries += 1) {
        const answered = page.waitForResponse('**/api/v1/login/mfa')
        await code.fill('')
        await code.fill(`00000${tries}`)
        await answered
      }
      await expect(expired).toBeVisible()
      await expect(page.getByLabel(t('field.email'), { exact: true })).toHaveValue(
        own.account.email,
      )
    },
  )

  test(`an operator’s link signs in once, ${language}`, async ({ page, instance }) => {
    const own = ownAccount(instance, 'Locked out')
    await speak(page, language)
    const link = signInLink(instance.dataFolder, own.account.email)
    await page.goto(link)
    await expectAddress(page, entry)
    expect(page.url()).not.toContain('link=')
    await expect(
      page.getByRole('button', { name: t('person.menu', { name: 'Locked out' }) }),
    ).toBeVisible()

    // Pasted over the sign-in page's address, which doesn't reload anything.
    await page.goto('/login?logout')
    await expect(page.getByLabel(t('field.email'), { exact: true })).toBeVisible()
    await page.evaluate((fragment) => {
      window.location.hash = fragment
    }, link.split('#')[1]!)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('link.gone'))
    await expectAddress(page, '/login')
    await page.getByRole('button', { name: t('link.otherWay') }).click()
    await fillSignIn(page, language, own.account)
    await expectAddress(page, entry)
  })

  test(
    `a team that asks for it leads whoever has none to it, ${language}`,
    long,
    async ({ page, instance }) => {
      const own = ownAccount(instance, 'Asked')
      await speak(page, language)
      await signInByCall(page, own)
      // No team on this server can require it yet, so the user record is rewritten to say that one
      // does.
      await rewriteUser(page, (user) => {
        const mfa = { ...(user.mfa as { totp: boolean }), required: true }
        return { mfa, allow_visited_app: mfa.totp }
      })
      await page.goto('/data-dashboard')
      await expectAddress(page, `/no-auth?redirect=${encodeURIComponent('/data-dashboard')}`)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('mfa.required'))
      await page.getByRole('button', { name: t('totp.enable') }).click()
      await enroll(page, language)
      await expectAddress(page, /^\/data-dashboard\?org=/)
    },
  )

  test(
    `what needs a recent sign-in asks for the password, ${language}`,
    long,
    async ({ page, instance }) => {
      const own = ownAccount(instance, 'Away')
      await speak(page, language)
      await signInByCall(page, own)
      // No test waits a quarter of an hour: make the server ask immediately.
      let asks = 2
      await page.route('**/api/v1/current/mfa/totp', (route) => {
        if (route.request().method() !== 'POST' || asks === 0) return route.fallback()
        asks -= 1
        const errors = [{ error: 'again', code: 'reauth_required' }]
        return route.fulfill({ status: 403, json: { message: 'again', errors } })
      })
      await page.goto(PAGE)
      const enable = page.locator('#mfa').getByRole('button', { name: t('totp.enable') })
      const dialog = page.getByRole('dialog', { name: t('reauth.title') })

      await enable.click()
      await dialog.getByRole('button', { name: t('common.cancel') }).click()
      await expect(dialog).toHaveCount(0)
      await expect(page.getByRole('alert')).toHaveCount(0)

      await enable.click()
      const password = dialog.getByLabel(t('field.password'), { exact: true })
      await expect(password).toBeFocused()
      await password.fill('not my password')
      await password.press('Enter')
      await expect(password).toHaveAttribute('aria-invalid', 'true')
      await password.fill(own.account.password)
      await password.press('Enter')
      await expect(dialog).toHaveCount(0)
      await expect(page.getByRole('dialog', { name: t('totp.title') })).toBeVisible()
    },
  )
}

test.describe('in light and dark', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('its steps are accessible and fit a phone', async ({ page, instance }) => {
    const t = wordsOf('zh-CN')
    const own = ownAccount(instance, 'Narrow')
    await signInByCall(page, own)
    await rewriteUser(page, (user) => ({ mfa: { ...(user.mfa as object), required: true } }))
    await page.goto(PAGE)
    await expect(page.getByRole('heading', { name: t('mfa.required') })).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)

    await page
      .locator('#mfa')
      .getByRole('button', { name: t('totp.enable') })
      .click()
    const dialog = page.getByRole('dialog')
    const qr = dialog.getByRole('img', { name: t('totp.qr') })
    await expect(qr).toBeVisible()
    await expect(qr).toHaveCSS('background-color', 'rgb(255, 255, 255)')
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
    const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '')
    await dialog.getByLabel(t('totp.code')).fill(totpCode(secret))
    await expect(dialog.getByRole('listitem')).toHaveCount(10)
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
    await dialog.getByLabel(t('recovery.stored')).check()
    await dialog.getByRole('button', { name: t('recovery.done') }).click()

    await page.goto('/login?logout')
    await fillSignIn(page, 'zh-CN', own.account)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('mfa.title'))
    await expectAccessibleInOneTheme(page)
    await page.getByRole('button', { name: t('mfa.use.recovery') }).click()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
  })
})
