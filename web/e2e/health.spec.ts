/** Instance health, as the operator of a real server sees it. */
import { readFileSync } from 'node:fs'
import {
  expect,
  expectAccessibleInOneTheme,
  expectToFit,
  LANGUAGES,
  long,
  resize,
  signInByCall,
  speak,
  test,
  wordsOf,
} from './test'

const VERSION = readFileSync(new URL('../../client-version', import.meta.url), 'utf8').trim()

for (const language of LANGUAGES) {
  test(
    `an operator sees the instance that answers, and it stays in place, ${language}`,
    long,
    async ({ page, instance }) => {
      const t = wordsOf(language)
      await speak(page, language)
      await signInByCall(page, instance)
      await page.clock.install()
      await page.goto('/operator/health')
      const table = page.getByRole('table', { name: t('health.instances') })
      const own = table.getByRole('row').filter({ hasText: t('health.answering') })
      await expect(own).toContainText(VERSION)
      await expect(own).toContainText(t('health.alive'))
      const stores = page.getByRole('table', { name: t('health.stores') })
      await expect(stores.getByRole('row', { name: /SQLite/ })).toContainText(t('health.reachable'))
      const jobs = page.getByRole('table', { name: t('health.jobs') })
      await expect(jobs.getByRole('row', { name: t('health.job.purge') })).toBeVisible()
      await expectAccessibleInOneTheme(page)

      // New content replaces the old without a blank moment.
      const drawn = await own.elementHandle()
      const again = page.waitForResponse((response) => response.url().endsWith('/instance/health'))
      await page.clock.runFor(15_000)
      await again
      await expect(own).toContainText(VERSION)
      expect(await drawn?.evaluate((row) => row.isConnected)).toBe(true)

      await resize(page, 390, 844)
      await expect(page.getByRole('list', { name: t('health.instances') })).toBeVisible()
      await expectToFit(page)
    },
  )
}
