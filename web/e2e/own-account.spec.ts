/** What people can do with their whole account: change the address, export the data, delete it. */
import { readFileSync } from 'node:fs'
import type { Browser, Page } from '@playwright/test'
import { ABOUT, linkIn, mailTo } from './mail'
import {
  expect,
  expectAccessible,
  expectAddress,
  expectToFit,
  fillSignIn,
  LANGUAGES,
  long,
  ownAccount,
  signInByCall,
  speak,
  test,
  unusedAddress,
  wordsOf,
  type Instance,
} from './test'

const PAGE = '/account/user-info'

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(`another address, through the mailed link, ${language}`, async ({
    page,
    browser,
    instance,
  }) => {
    const own = ownAccount(instance, 'Moving')
    const email = unusedAddress()
    await speak(page, language)
    await signInByCall(page, own)
    await page.goto(`${PAGE}#email`)
    const section = page.locator('#email')
    await expect(section).toBeInViewport()
    await expect(section).toContainText(own.account.email)
    const field = section.getByLabel(t('email.new'), { exact: true })
    const send = section.getByRole('button', { name: t('email.submit.noMail') })
    await field.fill(own.account.email)
    await send.click()
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await field.fill(email)
    await send.click()
    await expect(section.getByText(t('email.sent.noMail', { email }))).toBeVisible()
    await expect(section.getByRole('button', { name: /\d+ (秒后|s$)/ })).toBeDisabled()
    await expect(section).toContainText(own.account.email)

    const link = linkIn(await mailTo(instance.dataFolder, email, ABOUT.address))
    await page.goto(link)
    await expect(
      page.getByText(t('validator.email_change.lead', { account: own.account.email, email })),
    ).toBeVisible()
    // Opening the link changes nothing yet, because mail scanners open links too.
    await page.reload()
    await page.getByRole('button', { name: t('validator.email_change.submit') }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('email.changed'))
    await page.getByRole('link', { name: t('email.toProfile') }).click()
    await expectAddress(page, `${PAGE}#email`)
    await expect(section).toContainText(email)
    await expect(page.getByLabel(t('field.email'), { exact: true })).toHaveValue(email)

    await page.goto(link)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('validator.gone'))
    const other = await (await browser.newContext({ baseURL: own.url })).newPage()
    await signInByCall(other, { ...own, account: { ...own.account, email } })
    await other.context().close()
  })

  test(
    `the link works in a browser where nobody is signed in, ${language}`,
    long,
    async ({ page, browser, instance }) => {
      const own = ownAccount(instance, 'Elsewhere')
      const email = unusedAddress()
      const context = await browser.newContext({ baseURL: own.url })
      const other = await context.newPage()
      await signInByCall(other, own)
      await other.request.post('/api/v1/current/email', { data: { email } })
      await context.close()

      await speak(page, language)
      await page.goto(linkIn(await mailTo(instance.dataFolder, email, ABOUT.address)))
      await page.getByRole('button', { name: t('validator.email_change.submit') }).click()
      await page.getByRole('link', { name: t('common.toSignIn') }).click()
      await expectAddress(page, '/login')
    },
  )

  test(`a copy of the data, ${language}`, long, async ({ page, instance }) => {
    const own = ownAccount(instance, 'Curious')
    await speak(page, language)
    await signInByCall(page, own)
    await page.goto(`${PAGE}#export`)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: t('export.submit') }).click()
    const file = await saved
    expect(file.suggestedFilename()).toBe('atrium-my-data.json')
    const content = readFileSync(await file.path(), 'utf8')
    expect(content).toContain(own.account.email)
    expect(JSON.parse(content)).not.toHaveProperty('data.data')
  })

  test(
    `the only owner of a team cannot leave yet, ${language}`,
    long,
    async ({ page, instance }) => {
      const own = ownAccount(instance, 'Captain')
      await speak(page, language)
      await signInByCall(page, own)
      await page.goto(`${PAGE}#deletion`)
      await page.getByRole('button', { name: t('deletion.start') }).click()
      const dialog = page.getByRole('dialog', { name: t('deletion.blocked') })
      await expect(dialog).toContainText(own.account.organization)
      await expect(dialog).toContainText(t('deletion.members', { count: 1 }))
      await expectAccessible(page)
      await dialog.getByRole('link', { name: t('common.toTeams') }).click()
      await expectAddress(page, '/organization/list')
    },
  )

  test(`an account is deleted once its address is typed, ${language}`, async ({
    page,
    browser,
    instance,
  }) => {
    const own = ownAccount(instance, 'Leaving')
    await speak(page, language)
    await signInByCall(page, own)
    // Someone else must own the team before its owner can leave.
    await shareOwnership(page, browser, own, ownAccount(instance, 'Staying'))
    await page.goto(`${PAGE}#deletion`)
    await page.getByRole('button', { name: t('deletion.start') }).click()
    const dialog = page.getByRole('dialog', { name: t('deletion.title') })
    const confirm = dialog.getByRole('button', { name: t('deletion.submit') })
    const field = dialog.getByRole('textbox')
    await expect(confirm).toBeDisabled()
    await field.fill('someone-else@example.com')
    await expect(confirm).toBeDisabled()
    await field.fill(own.account.email.toUpperCase())
    await expectAccessible(page)
    await confirm.click()
    await expectAddress(page, '/login')
    await expect(page.getByRole('status').filter({ hasText: t('deletion.done') })).toBeVisible()
    await fillSignIn(page, language, own.account)
    await expect(page.getByRole('alert')).toBeVisible()
    await expectAddress(page, '/login')
  })
}

/** Makes another account an owner of the team too, by invitation. */
async function shareOwnership(page: Page, browser: Browser, own: Instance, heir: Instance) {
  const invited = await page.request.post(`/api/v1/orgs/${own.orgId}/invitations`, {
    data: { emails: [heir.account.email], role: 'owner' },
  })
  expect(invited.ok()).toBe(true)
  const context = await browser.newContext({ baseURL: own.url })
  const other = await context.newPage()
  await signInByCall(other, heir)
  const waiting = (await (await other.request.get('/api/v1/current/invitations')).json()) as {
    data: { items: { id: string }[] }
  }
  const id = waiting.data.items[0]!.id
  expect((await other.request.post(`/api/v1/invitations/${id}/accept`)).ok()).toBe(true)
  await context.close()
}

test('the page keeps its shape on a phone', long, async ({ page, instance }) => {
  const own = ownAccount(instance, 'Pocket')
  await page.setViewportSize({ width: 390, height: 844 })
  await signInByCall(page, own)
  await page.goto(PAGE)
  await expectToFit(page)
  await page.getByRole('link', { name: '删除账号' }).click()
  await expect(page.locator('#deletion')).toBeInViewport()
  await page.getByRole('button', { name: '删除账号…' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectToFit(page)
})
