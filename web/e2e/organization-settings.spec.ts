/** A team's settings and audit log, switching teams, and a team that requires a second factor. */
import type { Page } from '@playwright/test'
import {
  expect,
  expectAccessible,
  expectAccessibleInOneTheme,
  expectAddress,
  expectToFit,
  LANGUAGES,
  long,
  ownAccount,
  signInByCall,
  speak,
  test,
  wordsOf,
  type Instance,
} from './test'
import { dataOf, joinByCall, joinWith, row, signInAsOwner } from './team'
import { totpCode } from './totp'

const settingOf = ({ orgId }: Instance) => `/organization/config/setting?org=${orgId}`
const auditOf = ({ orgId }: Instance, rest = '') => `/organization/config/audit?org=${orgId}${rest}`

/** Enrolls a second factor, which counts for the current session. */
async function enrolByCall(page: Page): Promise<void> {
  const { secret } = await dataOf<{ secret: string }>(
    await page.request.post('/api/v1/current/mfa/totp'),
  )
  await dataOf(
    await page.request.put('/api/v1/current/mfa/totp', { data: { code: totpCode(secret) } }),
  )
}

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(
    `name, time zone and retention are changed and kept, ${language}`,
    long,
    async ({ page, instance }) => {
      await speak(page, language)
      const own = await signInAsOwner(page, instance, 'Setter')
      await page.goto(settingOf(own))
      const general = page.locator('#general')
      const save = general.getByRole('button', { name: t('common.save') })
      const retention = general.getByLabel(t('setting.retention'))
      await expect(save).toBeDisabled()
      await retention.fill('0')
      await retention.blur()
      await expect(
        general.getByText(t('setting.retentionRule', { min: 1, max: 3650 })),
      ).toBeVisible()

      await general.getByLabel(t('field.team'), { exact: true }).fill('新名字')
      const zone = general.getByLabel(t('account.timezone'), { exact: true })
      await zone.click()
      await zone.fill('new york')
      await page.locator('.ant-select-item-option').filter({ hasText: 'New_York' }).click()

      await test.step('keeping less asks first', async () => {
        await retention.fill('30')
        await save.click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('button', { name: t('common.cancel') }).click()
        await expect(save).toBeEnabled()
        await save.click()
        await expect(dialog).toContainText(t('setting.shortenEvents'))
        const { name } = await dataOf<{ name: string }>(
          await page.request.get(`/api/v1/orgs/${own.orgId}`),
        )
        await dialog.getByLabel(t('danger.type', { name })).fill(name)
        await dialog.getByRole('button', { name: t('setting.shorten') }).click()
      })
      await expect(general.getByRole('status')).toHaveText(t('common.saved'))
      // Everywhere at once: in the top bar and in the menu.
      await expect(
        page.getByRole('button', { name: t('org.switch', { name: '新名字' }) }),
      ).toBeVisible()

      await page.reload()
      await expect(general.getByLabel(t('field.team'), { exact: true })).toHaveValue('新名字')
      await expect(retention).toHaveValue('30')
      await expect(general).toContainText('America/New_York')

      await test.step('leaving with changes asks too', async () => {
        await retention.fill('31')
        await page.getByRole('link', { name: t('title.teamMembers') }).click()
        const dialog = page.getByRole('dialog')
        await expect(dialog).toContainText(t('unsaved.title'))
        await dialog.getByRole('button', { name: t('unsaved.leave') }).click()
        await expectAddress(page, `/organization/config/member?org=${own.orgId}`)
      })
    },
  )

  test(`a team asks everyone for a second factor, ${language}`, async ({
    page,
    browser,
    instance,
  }) => {
    test.slow()
    await speak(page, language)
    const own = await signInAsOwner(page, instance, 'Guarded')
    // They have a team of their own; someone without one would be told at sign-in.
    const guest = ownAccount(instance, 'Guest')
    const context = await browser.newContext({ baseURL: own.url })
    const guestPage = await context.newPage()
    await speak(guestPage, language)
    await signInByCall(guestPage, guest)
    await joinWith(page, own, guestPage, guest)

    await page.goto(settingOf(own))
    const security = page.locator('#security')
    await expect(security).toContainText(t('setting.enrolFirst'))
    await enrolByCall(page)
    await page.reload()
    await security.getByRole('button', { name: t('setting.mfaStart') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('setting.mfaStart') })
      .click()
    await expect(security).toContainText(t('setting.mfaOn'))

    await test.step('whoever has none is led to it, and then let in', async () => {
      await guestPage.goto(`/organization/config/member?org=${own.orgId}`)
      const face = guestPage.getByRole('alert').filter({ hasText: t('mfa.required') })
      await expect(face).toBeVisible()
      await expectAccessible(guestPage)
      await face.getByRole('button', { name: t('totp.enable') }).click()
      const dialog = guestPage.getByRole('dialog')
      const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '')
      await dialog.getByLabel(t('totp.code')).fill(totpCode(secret))
      await dialog.getByLabel(t('recovery.stored')).check()
      await dialog.getByRole('button', { name: t('recovery.done') }).click()
      await expect(row(guestPage, 'Guarded')).toBeVisible()
    })

    await security.getByRole('button', { name: t('setting.mfaStop') }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: t('setting.mfaStop') })
      .click()
    await expect(security).toContainText(t('setting.mfaOff'))
    await context.close()
  })

  test(
    `the audit log is filtered, opened and exported, ${language}`,
    long,
    async ({ page, instance }) => {
      await speak(page, language)
      const own = await signInAsOwner(page, instance, 'Auditor')
      for (const retention_days of [90, 60]) {
        await dataOf(
          await page.request.put(`/api/v1/orgs/${own.orgId}`, { data: { retention_days } }),
        )
      }
      await dataOf(
        await page.request.post(`/api/v1/orgs/${own.orgId}/apps`, {
          data: { name: '官网', region: 'local', timezone: 'UTC' },
        }),
      )
      await page.goto(auditOf(own))
      const rows = page.locator('tbody tr.ant-table-row')
      await expect(rows.filter({ hasText: '官网' })).toHaveCount(1)

      await test.step('by kind of action', async () => {
        await page.getByLabel(t('audit.byAction')).click()
        await page
          .locator('.ant-select-item-option')
          .filter({ hasText: new RegExp(`^${t('audit.group.org')}$`) })
          .click()
        await expectAddress(page, auditOf(own, '&action=org'))
        await expect(rows.filter({ hasText: '官网' })).toHaveCount(0)
      })

      await test.step('before and after', async () => {
        await rows.first().getByRole('button').click()
        const changes = page.getByRole('table').last()
        await expect(changes.getByRole('row').filter({ hasText: 'retention_days' })).toContainText(
          '60',
        )
        await expect(changes).not.toContainText('timezone')
      })

      await test.step('by person and day, all in the address', async () => {
        await page.goto(auditOf(own, `&actor=${own.account.email}&from=2020-01-01&to=2020-01-02`))
        await expect(page.getByText(t('table.nothingFound'))).toBeVisible()
        await expect(page.getByLabel(t('audit.from'), { exact: true })).toHaveValue('2020-01-01')
        await page.getByLabel(t('audit.to'), { exact: true }).fill('')
        await expectAddress(
          page,
          auditOf(own, `&actor=${own.account.email.replace('@', '%40')}&from=2020-01-01`),
        )
        await expect(rows.filter({ hasText: '官网' })).toHaveCount(1)
        await page.getByLabel(t('audit.byActor')).fill('nobody at all')
        await expect(page.getByText(t('table.nothingFound'))).toBeVisible()
        await page.getByRole('button', { name: t('table.clear') }).click()
        await expectAddress(page, auditOf(own))
        await expect(rows.filter({ hasText: '官网' })).toHaveCount(1)
      })

      for (const format of ['CSV', 'NDJSON']) {
        await test.step(`as ${format}`, async () => {
          const saved = page.waitForEvent('download')
          await page.getByRole('button', { name: t('audit.export', { format }) }).click()
          const download = await saved
          expect(download.suggestedFilename()).toMatch(
            new RegExp(`^atrium-audit-[\\d-]+\\.${format.toLowerCase()}$`),
          )
        })
      }
    },
  )

  test(`two teams, each in its own address, ${language}`, async ({ page, instance }) => {
    await speak(page, language)
    const own = await signInAsOwner(page, instance, 'Double')
    const other = await dataOf<{ id: string }>(
      await page.request.post('/api/v1/orgs', { data: { name: '乙队' } }),
    )
    await page.goto(`/organization/config/member?org=${own.orgId}&search=x`)
    await page.getByRole('button', { name: t('org.switch', { name: 'Double的团队' }) }).click()
    await page.getByRole('menuitem', { name: '乙队' }).click()
    // A search in one team doesn't carry over to another.
    await expectAddress(page, `/organization/config/member?org=${other.id}`)
    await expect(
      page.getByRole('button', { name: t('org.switch', { name: '乙队' }) }),
    ).toBeVisible()

    // Without a team in the URL, the last one is used.
    await page.goto('/organization/config/config-app')
    await expectAddress(page, `/organization/config/config-app?org=${other.id}`)

    await page.goto('/organization/config/member?org=no-such-team')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('org.gone'))
    await page.getByRole('link', { name: t('common.toTeams') }).click()
    await expectAddress(page, '/organization/list')
  })
}

test(
  'settings and log are for those who run the team',
  long,
  async ({ page, browser, instance }) => {
    const t = wordsOf('zh-CN')
    const own = await signInAsOwner(page, instance, 'Closed')
    const lin = await joinByCall(page, browser, own, '林一', { app: 'viewer' })
    await lin.page.goto(settingOf(own))
    await expect(lin.page.getByRole('heading', { level: 1 })).toHaveText(t('forbidden.title'))
    await lin.page.goto(auditOf(own))
    await expect(lin.page.getByRole('heading', { level: 1 })).toHaveText(t('forbidden.title'))
    await expect(lin.page.getByRole('link', { name: t('title.teamAudit') })).toHaveCount(0)
    await lin.page.context().close()
  },
)

test.describe('in light and dark', () => {
  test('settings and log are accessible and fit a phone', async ({ page, instance }) => {
    test.slow()
    const t = wordsOf('zh-CN')
    const own = await signInAsOwner(page, instance, 'Narrow')
    await dataOf(
      await page.request.put(`/api/v1/orgs/${own.orgId}`, { data: { retention_days: 90 } }),
    )
    await page.goto(settingOf(own))
    await expect(page.locator('#security')).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.getByRole('button', { name: t('org.switch', { name: 'Narrow的团队' }) }).click()
    await expect(page.getByRole('menuitem', { name: t('org.all') })).toBeVisible()
    await expectAccessibleInOneTheme(page)
    await page.keyboard.press('Escape')
    await page.goto(auditOf(own))
    await page.locator('tbody tr.ant-table-row').first().getByRole('button').click()
    await expectAccessibleInOneTheme(page)

    await page.setViewportSize({ width: 360, height: 780 })
    await expect(page.getByRole('table')).toHaveCount(0)
    await page.getByRole('button', { name: /详情/ }).first().click()
    await expectAccessibleInOneTheme(page)
    await expectToFit(page)
    await page.goto(settingOf(own))
    await expect(page.locator('#security')).toBeVisible()
    await expectToFit(page)
    // The menu is a strip wider than the screen; the current entry must be visible anyway.
    const here = page.getByRole('link', { name: t('title.teamSetting'), exact: true })
    await expect(here).toHaveAttribute('aria-current', 'page')
    await expect(here).toBeInViewport({ ratio: 1 })
  })
})
