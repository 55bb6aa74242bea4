/** Single sign-on against a real provider, from the settings to the person signing in. */
import type { Page } from '@playwright/test'
import {
  confirmAtProvider,
  control,
  leaveBySso,
  ownDomain,
  setUpSso,
  teamWithSso,
  test,
} from './providers'
import { createAccount } from './server'
import { dataOf, joinByCall, signInAsOwner } from './team'
import {
  expect,
  expectAccessible,
  expectAddress,
  expectToFit,
  fillSignIn,
  LANGUAGES,
  long,
  speak,
  wordsOf,
} from './test'

// Run on one worker: each additional worker would start another server.
test.describe.configure({ mode: 'default' })

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`set up, tested, and used by someone new, ${language}`, async ({
    page,
    browser,
    wired,
    standins,
  }) => {
    test.slow()
    await speak(page, language)
    const own = await signInAsOwner(page, wired, 'Owner')
    const domain = ownDomain()
    await page.goto(`/organization/config/sso?org=${own.orgId}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('title.teamSso'))
    await expectAccessible(page)

    await test.step('a domain is proven by a record', async () => {
      await page.getByLabel(t('ssoDomain.field')).fill(domain)
      await page.getByRole('button', { name: t('ssoDomain.add'), exact: true }).click()
      const check = page.getByRole('button', { name: t('ssoDomain.checkOf', { domain }) })
      await check.click()
      await expect(page.getByText(t('ssoDomain.recordMissing'))).toBeVisible()
      const name = `_atrium-challenge.${domain}`
      await control(standins.dns_control, 'txt', { name, values: ['something else'] })
      await check.click()
      await expect(page.getByText(t('ssoDomain.recordWrong'))).toBeVisible()
      const value = await page.getByText(/^atrium-verification=/).innerText()
      await control(standins.dns_control, 'txt', { name, values: ['v=spf1 -all', value] })
      await check.click()
      await expect(page.getByText(t('ssoDomain.verifiedNow', { domain }))).toBeVisible()
    })

    await test.step('the provider is tested step by step', async () => {
      await page.getByLabel(t('ssoSetting.issuer'), { exact: true }).fill(standins.oidc)
      await page.getByLabel(t('ssoSetting.clientId'), { exact: true }).fill('atrium')
      await page.getByLabel(t('ssoSetting.secret'), { exact: true }).fill('wrong')
      await page.getByRole('button', { name: t('ssoTest.run') }).click()
      await expect(page.getByText(t('ssoTest.failed'))).toBeVisible()
      await expect(page.getByText(t('sso.test.code.client_refused'))).toBeVisible()
      await expectAccessible(page)
      await page.getByLabel(t('ssoSetting.secret'), { exact: true }).fill('atrium-secret')
      await page.getByRole('button', { name: t('ssoTest.run') }).click()
      await expect(page.getByText(t('ssoTest.passed'))).toBeVisible()
    })

    await test.step('it is switched on', async () => {
      await page.getByLabel(t('ssoSetting.enable')).click()
      await page.getByRole('button', { name: t('common.save'), exact: true }).click()
      await expect(page.getByText(t('ssoSetting.state.on'), { exact: true })).toBeVisible()
      await page.setViewportSize({ width: 390, height: 800 })
      await expectToFit(page)
    })

    await test.step('someone new comes in', async () => {
      const context = await browser.newContext({ baseURL: wired.url })
      const newcomer = await context.newPage()
      await speak(newcomer, language)
      const email = `anna@${domain}`
      await newcomer.goto('/login?redirect=%2Faccount%2Fuser-info')
      await leaveBySso(newcomer, language, 'anna@nowhere.test')
      await expect(newcomer.getByText(t('sso.notFound'))).toBeVisible()
      await newcomer.getByLabel(t('field.workEmail'), { exact: true }).fill(email)
      await newcomer.getByRole('button', { name: t('sso.submit'), exact: true }).click()
      await confirmAtProvider(newcomer, email)
      await expect.poll(() => newcomer.url()).toMatch(/\/(account\/user-info|no-auth)/)
      const user = await dataOf<{ email: string; name: string; has_password: boolean }>(
        await newcomer.request.get('/api/v1/current'),
      )
      expect(user).toMatchObject({ email, name: 'Anna', has_password: false })
      await context.close()
      const members = await dataOf<{ items: { email: string; role: string }[] }>(
        await page.request.get(`/api/v1/orgs/${own.orgId}/members`),
      )
      expect(members.items).toContainEqual(expect.objectContaining({ email, role: 'member' }))
    })
  })

  test(`an address that has an account is linked by its owner only, ${language}`, async ({
    page,
    browser,
    wired,
    standins,
  }) => {
    test.slow()
    const team = await teamWithSso(browser, wired, standins, 'Links')
    const { domain, own } = team
    const email = `bob@${domain}`
    const account = { ...wired.account, name: 'Bob', email, organization: 'Bobs' }
    createAccount(wired.dataFolder, account)

    await speak(page, language)
    await page.goto('/login')
    await leaveBySso(page, language, email)
    await confirmAtProvider(page, email)
    // The provider's word alone doesn't open an existing account.
    await expect(page.getByText(t('login.ssoLink'))).toBeVisible()
    expect((await page.request.get('/api/v1/current')).status()).toBe(401)
    await fillSignIn(page, language, account)
    await expectAddress(page, '/account/sso-link')
    await expect(page.getByText(email)).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: t('ssoLink.submit') }).click()
    await expect.poll(() => page.url()).not.toContain('sso-link')
    const { sso } = await dataOf<{ sso: { org_id: string }[] }>(
      await page.request.get('/api/v1/current'),
    )
    expect(sso.map((one) => one.org_id)).toEqual([own.orgId])

    await page.goto('/login?logout')
    await expectAddress(page, '/login')
    await leaveBySso(page, language, email)
    await confirmAtProvider(page, email)
    await expect.poll(async () => (await page.request.get('/api/v1/current')).status()).toBe(200)
    await team.close()
  })

  test(
    `what is wrong at the provider is said, ${language}`,
    long,
    async ({ page, browser, wired, standins }) => {
      test.slow()
      const team = await teamWithSso(browser, wired, standins, 'Faults')
      const { domain, owner, own } = team
      await speak(page, language)
      // Every other fault's code is tested in tests/it/sso/refusals.rs, and every code's text in
      // session/providerFailure.test.ts.
      await test.step('a token that is signed wrongly', async () => {
        const email = `anna+badsig@${domain}`
        await page.goto('/login')
        await leaveBySso(page, language, email)
        await confirmAtProvider(page, email)
        await expect(page.getByRole('alert')).toContainText(t('provider.failed.token_signature'))
        // It is gone once read, so a reload starts over.
        await expectAddress(page, '/login')
      })
      await test.step('an address of another domain', async () => {
        await page.goto('/login')
        await leaveBySso(page, language, `anna@${domain}`)
        await page.getByLabel('Work address').fill('anna@elsewhere.test')
        await page.getByRole('button', { name: 'Sign in' }).click()
        await expect(page.getByRole('alert')).toContainText(t('provider.failed.domain_not_allowed'))
      })
      await test.step('a person who would rather not', async () => {
        await page.goto('/login?redirect=%2Fdata-dashboard')
        await leaveBySso(page, language, `anna@${domain}`)
        await page.getByRole('link', { name: 'Cancel' }).click()
        await expect(page.getByRole('alert')).toContainText(t('provider.failed.cancelled'))
        await expectAccessible(page)
        await expectAddress(page, '/login?redirect=%2Fdata-dashboard')
      })
      await test.step('an answer that was used already, or of another browser', async () => {
        await page.goto('/login')
        await leaveBySso(page, language, `cid@${domain}`)
        const back = page.waitForRequest(/\/api\/v1\/sso\/callback/)
        await confirmAtProvider(page, `cid@${domain}`)
        const callback = (await back).url()
        await expect
          .poll(async () => (await page.request.get('/api/v1/current')).status())
          .toBe(200)
        await page.goto('/login?logout')
        await expectAddress(page, '/login')
        await page.goto(callback)
        await expect(page.getByRole('alert')).toContainText(t('provider.failed.state_invalid'))
      })
      const log = await dataOf<{ items: { action: string; details: { reason?: string } }[] }>(
        await owner.request.get(`/api/v1/orgs/${own.orgId}/audit-logs?page_size=100`),
      )
      const refused = log.items.filter(({ action }) => action === 'sso.refused')
      const reasons = refused.map(({ details }) => details.reason)
      expect(reasons).toEqual(expect.arrayContaining(['token_signature', 'domain_not_allowed']))
      await team.close()
    },
  )
}

test(
  'a provider that is down is said at once, and the other ways stay',
  long,
  async ({ page, browser, wired, standins }) => {
    const team = await teamWithSso(browser, wired, standins, 'Down')
    const { domain } = team
    const t = wordsOf('zh-CN')
    await page.goto('/login')
    await control(standins.oidc, 'down', { down: true })
    try {
      await leaveBySso(page, 'zh-CN', `anna@${domain}`)
      await expect(page.getByText(t('sso.unavailable'))).toBeVisible()
      await expectAccessible(page)
    } finally {
      await control(standins.oidc, 'down', { down: false })
    }
    await team.close()
  },
)

test(
  'a team that requires it keeps out who came another way, and leads there',
  long,
  async ({ page, browser, wired, standins }) => {
    test.slow()
    const t = wordsOf('zh-CN')
    const domain = ownDomain()
    const own = await signInAsOwner(page, wired, 'Strict')
    await setUpSso(page, own, standins, domain)
    const email = `dora@${domain}`
    const dora = await joinByCall(page, browser, own, 'Dora', { app: 'viewer', email })
    const sso = `/api/v1/orgs/${own.orgId}/sso`
    const settings = await dataOf<object>(await page.request.get(sso))
    await dataOf(await page.request.put(sso, { data: { ...settings, enforced: true } }))
    const answer = async (who: Page) =>
      (await who.request.get(`/api/v1/orgs/${own.orgId}`)).status()
    expect(await answer(dora.page)).toBe(403)
    // The owner signed in with a password and gets in all the same.
    expect(await answer(page)).toBe(200)

    await dora.page.goto(`/organization/config/member?org=${own.orgId}`)
    await expectAddress(dora.page, /^\/no-auth/)
    await expect(dora.page.getByText(t('noAuth.sso'))).toBeVisible()
    await dora.page.getByRole('button', { name: t('sso.goOn') }).click()
    await confirmAtProvider(dora.page, email)
    await expectAddress(dora.page, '/account/sso-link')
    await dora.page.getByRole('button', { name: t('ssoLink.submit') }).click()
    await expect.poll(() => answer(dora.page)).toBe(200)
    await dora.page.context().close()
  },
)
