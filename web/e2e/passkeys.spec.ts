/**
 * Passkeys, with the browser's virtual authenticator. They belong to a domain, so these tests open
 * the console by host name instead of IP address.
 */
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessible,
  expectAddress,
  LANGUAGES,
  long,
  ownAccount,
  signInByCall,
  speak,
  test,
  wordsOf,
  type Instance,
} from './test'

const entry = /^\/org-id\//

function byName(instance: Instance): Instance {
  return { ...instance, url: instance.url.replace('127.0.0.1', 'localhost') }
}

/** A device with a fingerprint reader that always succeeds, or none. */
async function device(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    finger: (enabled: boolean) =>
      session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    held: async () =>
      (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  }
}

const passkeys = (page: Page) =>
  page.locator('#passkeys').getByRole('list', { name: /./ }).getByRole('listitem')

/** Disables autofill, whose offer would answer before the button is clicked. */
async function withoutAutofill(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })
}

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  async function addPasskey(page: Page, name: string): Promise<void> {
    const dialog = page.getByRole('dialog', { name: t('passkey.add') })
    // Content loading above can move the button away from the pointer.
    await expect(async () => {
      await page
        .locator('#passkeys')
        .getByRole('button', { name: t('passkey.add') })
        .click()
      await expect(dialog).toBeVisible({ timeout: 1_000 })
    }).toPass()
    await expect(dialog.getByLabel(t('passkey.name'))).toHaveValue(/Chrome/)
    await dialog.getByLabel(t('passkey.name')).fill(name)
    await dialog.getByRole('button', { name: t('passkey.continue') }).click()
    await expect(dialog).toHaveCount(0)
    await expect(page.locator('#passkeys').getByRole('status')).toHaveText(t('passkey.added'))
  }

  test(`added, used, renamed and removed, ${language}`, async ({ page, instance }) => {
    const own = byName(ownAccount(instance, 'Keyholder'))
    const profile = `${own.url}/account/user-info`
    const { held } = await device(page)
    await withoutAutofill(page)
    await speak(page, language)
    await signInByCall(page, own)
    await page.goto(`${profile}#passkeys`)
    await expect(page.locator('#passkeys')).toContainText(t('passkey.none'))
    await addPasskey(page, 'Left thumb')
    await expect(passkeys(page)).toHaveCount(1)
    await expect(passkeys(page)).toContainText(t('passkey.neverUsed'))
    expect(await held()).toBe(1)

    await page.goto(`${own.url}/login?logout&redirect=%2Fdata-dashboard`)
    await page.getByRole('button', { name: t('passkey.signIn') }).click()
    // The dashboard adds its team to the URL at some point.
    await expectAddress(page, /^\/data-dashboard\?org=/)

    await page.goto(profile)
    await expect(passkeys(page)).toContainText(t('passkey.lastUsed'))
    await passkeys(page)
      .getByRole('button', { name: t('passkey.rename') })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('passkey.name')).fill('')
    await dialog.getByRole('button', { name: t('common.save') }).click()
    await expect(dialog.getByText(t('passkey.nameRequired'))).toBeVisible()
    await dialog.getByLabel(t('passkey.name')).fill('Right thumb')
    await dialog.getByRole('button', { name: t('common.save') }).click()
    await expect(passkeys(page)).toContainText('Right thumb')

    await passkeys(page)
      .getByRole('button', { name: t('passkey.remove') })
      .click()
    await expect(dialog).toContainText('Right thumb')
    await dialog.getByRole('button', { name: t('passkey.remove') }).click()
    await expect(page.locator('#passkeys')).toContainText(t('passkey.none'))

    // The device still has it, but the server no longer does.
    await page.goto(`${own.url}/login?logout`)
    await page.getByRole('button', { name: t('passkey.signIn') }).click()
    await expect(page.getByRole('alert')).not.toBeEmpty()
    await expectAddress(page, '/login')
  })

  test(`offered where the address is filled in, ${language}`, async ({ page, instance }) => {
    const own = byName(ownAccount(instance, 'Autofilled'))
    const { finger } = await device(page)
    await speak(page, language)
    await signInByCall(page, own)
    await page.goto(`${own.url}/account/user-info`)
    await addPasskey(page, 'Thumb')

    await finger(false)
    await page.goto(`${own.url}/login?logout`)
    await expectAddress(page, '/login')
    const email = page.getByLabel(t('field.email'), { exact: true })
    await expect(email).toHaveAttribute('autocomplete', 'username webauthn')
    await finger(true)
    await page.reload()
    await expectAddress(page, entry)
  })
}

test('the question for the password stands above the dialog that raised it', async ({
  page,
  instance,
}) => {
  const own = byName(ownAccount(instance, 'Stacked'))
  await device(page)
  await signInByCall(page, own)
  let asks = true
  await page.route('**/api/v1/current/passkeys/options', (route) => {
    if (!asks) return route.fallback()
    asks = false
    const errors = [{ error: 'again', code: 'reauth_required' }]
    return route.fulfill({ status: 403, json: { message: 'again', errors } })
  })
  await page.goto(`${own.url}/account/user-info`)
  await page.getByRole('button', { name: '添加通行密钥' }).click()
  const naming = page.getByRole('dialog', { name: '添加通行密钥' })
  await expect(naming.getByLabel('名称')).toBeFocused()
  await naming.getByLabel('名称').press('Enter')
  const proof = page.getByRole('dialog', { name: '请确认是你本人' })
  await expect(proof.getByLabel('密码', { exact: true })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type(own.account.password)
  await page.keyboard.press('Enter')
  await expect(naming).toHaveCount(0)
  await expect(passkeys(page)).toHaveCount(1)
})

test('a person who changes their mind is left in peace', long, async ({ page, instance }) => {
  const own = byName(instance)
  await device(page)
  await withoutAutofill(page)
  await page.goto(`${own.url}/login`)
  await page.evaluate(() => {
    navigator.credentials.get = () => Promise.reject(new DOMException('', 'NotAllowedError'))
  })
  const button = page.getByRole('button', { name: '使用通行密钥登录' })
  await button.click()
  await expect(page.locator('.ant-btn-loading')).toHaveCount(0)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expectAccessible(page)
})

test(
  'an address of digits has no passkeys, and says so where they would be added',
  long,
  async ({ signedIn: page }) => {
    await page.goto('/account/user-info')
    await expect(page.locator('#passkeys')).toContainText('不支持通行密钥')
    await expect(page.getByRole('button', { name: '添加通行密钥' })).toHaveCount(0)
    await page.goto('/login?logout')
    await expect(page.getByRole('button', { name: '登录', exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: '使用通行密钥登录' })).toHaveCount(0)
  },
)
