/** WeChat Work and Feishu: linking, signing in, notifications, unlinking. */
import { seenBy, test } from './providers'
import { dataOf, signInAsOwner } from './team'
import { expect, expectAccessible, expectAddress, LANGUAGES, long, speak, wordsOf } from './test'

// Run on one worker: each additional worker would start another server.
test.describe.configure({ mode: 'default' })

/** People at the stand-ins, one per test, because an account there links to one person here. */
const PEOPLE = { 'zh-CN': 'Li Lei', 'en-US': 'Han Meimei' } as const

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  for (const provider of ['wechatwork', 'feishu'] as const) {
    const name = t(`provider.${provider}`)

    test(`${provider} is bound, signs in and is unbound, ${language}`, async ({ page, wired }) => {
      test.slow()
      await speak(page, language)
      const own = await signInAsOwner(page, wired, 'Chat')
      await page.goto('/account/user-info')

      await test.step('refused there, nothing is bound', async () => {
        await page.getByRole('button', { name: t('bindings.bindOf', { name }) }).click()
        await page.getByRole('button', { name: 'Refuse' }).click()
        await expect(page.getByText(t('provider.failed.cancelled'))).toBeVisible()
        await expectAddress(page, '/account/user-info')
      })

      await test.step('bound', async () => {
        await page.getByRole('button', { name: t('bindings.bindOf', { name }) }).click()
        await page.getByRole('button', { name: PEOPLE[language] }).click()
        await expect(page.getByText(t('bindings.done', { name }))).toBeVisible()
        await expectAccessible(page)
      })

      await test.step('signed in with', async () => {
        await page.goto('/login?logout')
        await expectAddress(page, '/login')
        await page.goto('/login?redirect=%2Faccount%2Fuser-info')
        await page.getByRole('button', { name }).click()
        await page.getByRole('button', { name: PEOPLE[language] }).click()
        await expectAddress(page, '/account/user-info')
        const user = await dataOf<{ email: string }>(await page.request.get('/api/v1/current'))
        expect(user.email).toBe(own.account.email)
      })

      await test.step('unbound, and no way in anymore', async () => {
        await page.getByRole('button', { name: t('bindings.unbindOf', { name }) }).click()
        await page
          .getByRole('dialog')
          .getByRole('button', { name: t('bindings.unbind'), exact: true })
          .click()
        await expect(page.getByText(t('bindings.unbound', { name }))).toBeVisible()
        await page.goto('/login?logout')
        await expectAddress(page, '/login')
        await page.getByRole('button', { name }).click()
        await page.getByRole('button', { name: PEOPLE[language] }).click()
        await expect(page.getByRole('alert')).toContainText(t('provider.failed.not_bound'))
      })
    })
  }
}

test(
  'what a person chose to hear through chat arrives there',
  long,
  async ({ page, wired, standins }) => {
    test.slow()
    const t = wordsOf('zh-CN')
    const messages = async () =>
      (await seenBy<{ messages: unknown[] }>(standins.feishu)).messages.length
    const own = await signInAsOwner(page, wired, 'Hears')
    await page.goto('/account/user-info')
    const name = t('provider.feishu')
    await page.getByRole('button', { name: t('bindings.bindOf', { name }) }).click()
    await page.getByRole('button', { name: 'Li Lei' }).click()
    await expect(page.getByText(t('bindings.done', { name }))).toBeVisible()
    await dataOf(
      await page.request.put('/api/v1/current/notification-types', {
        data: { security: ['email', 'feishu'] },
      }),
    )
    const before = await messages()
    await dataOf(
      await page.request.put('/api/v1/current/password', {
        data: { current_password: own.account.password, new_password: 'nine quiet harbours' },
      }),
    )
    await expect.poll(messages).toBe(before + 1)
    await dataOf(await page.request.post('/api/v1/feishu/authorize/cancel'))
  },
)
