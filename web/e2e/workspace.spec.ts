/** An app's workspace: its first event, what arrives, what it means, and who it is about. */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { addMember, openOwnApp } from './app'
import { message, send } from './events'
import { chooseAction, dataOf, row } from './team'
import {
  addressOf,
  expect,
  expectAccessible,
  expectAddress,
  LANGUAGES,
  long,
  speak,
  test,
  wordsOf,
} from './test'
import { entryOf, heading, openWithOrders } from './workspace'

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

for (const language of LANGUAGES) {
  const t = wordsOf(language)

  test(
    `the first event turns the quick start green, ${language}`,
    long,
    async ({ page, instance }) => {
      test.slow()
      await speak(page, language)
      const app = await openOwnApp(page, instance, 'First')
      await page.goto(`${entryOf(app)}/quick-start`)
      await expect(heading(page)).toHaveText(t('title.quickStart'))
      await expect(page.getByText(t('ingest.waiting'))).toBeVisible()
      await expect(page.getByRole('group', { name: t('start.way.script') })).toContainText(
        'data-app-key="ck_',
      )
      await send(page, app.appId, message({ event: 'hello_atrium' }))
      await expect(page.getByText(t('start.arrivedNamed', { name: 'hello_atrium' }))).toBeVisible()
      // The counters agree, a moment later and after a reload.
      await expect(page.getByText(t('start.lastAt'))).toBeVisible({ timeout: 40_000 })
      await page.reload()
      await expect(page.getByText(t('start.arrived'), { exact: true })).toBeVisible()
      await page
        .getByRole('link', { name: t('title.live') })
        .last()
        .click()
      await expectAddress(page, `${entryOf(app)}/live`)
    },
  )

  test(`what arrives is shown at once, ${language}`, long, async ({ page, instance }) => {
    await speak(page, language)
    const app = await openOwnApp(page, instance, 'Live')
    await page.goto(`${entryOf(app)}/live`)
    const state = page.getByRole('status').filter({ hasText: t('live.state.live') })
    await expect(state).toBeVisible()
    await expect(page.getByRole('heading', { name: t('live.none') })).toBeVisible()

    await send(
      page,
      app.appId,
      message({ event: 'order', path: '/cart', properties: { amount: 12.5 } }),
      message({ event: 'broken', broken: { timestamp: 'noon' } }),
    )
    const list = page.getByRole('list', { name: t('title.live') })
    await expect(list.getByRole('listitem')).toHaveCount(2)
    await list.getByRole('button', { name: /order/ }).click()
    await expect(list).toContainText('12.5')
    await expectAccessible(page)
    await expect(list.getByRole('button', { name: t('ingest.rejected') })).toBeVisible()

    await page.getByRole('button', { name: t('live.pause'), exact: true }).click()
    await send(page, app.appId, message({ event: 'later' }))
    const resume = page.getByRole('button', { name: t('live.resumeWith', { count: 1 }) })
    await expect(resume).toBeVisible()
    await expect(list.getByRole('listitem')).toHaveCount(2)
    await resume.click()
    await expect(list.getByRole('listitem').first()).toContainText('later')

    await page.getByLabel(t('live.search')).fill('later')
    await expect(list.getByRole('listitem')).toHaveCount(1)
    await expectAddress(page, `${entryOf(app)}/live?search=later`)
  })

  test(`events are found, described and hidden, ${language}`, long, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const app = await openWithOrders(page, instance, 'Catalog')
    await page.goto(`${entryOf(app)}/events`)
    await expect(row(page, 'order')).toContainText('2')
    await expect(page.getByRole('row')).toHaveCount(4)

    await page.getByRole('link', { name: 'order', exact: true }).click()
    await expectAddress(page, `${entryOf(app)}/events?event=order`)
    const drawer = page.getByRole('dialog')
    await expect(drawer.getByText('amount', { exact: true })).toBeVisible()
    await expect(drawer).toContainText(t('properties.type.number'))
    const edit = t('events.edit', { name: t('events.description') })
    await drawer.getByRole('button', { name: edit, exact: true }).click()
    await drawer.getByRole('textbox').fill('Money came in')
    await expectAccessible(page)
    await drawer.getByRole('button', { name: t('common.save') }).click()
    await expect(drawer.getByText('Money came in')).toBeVisible()
    await page.keyboard.press('Escape')
    await expectAddress(page, `${entryOf(app)}/events`)
    await expect(row(page, 'order')).toContainText('Money came in')

    await chooseAction(page, t('table.actionsOf', { name: 'signup' }), t('events.hide'))
    await expect(page.getByText(t('events.hiddenDone', { name: 'signup' }))).toBeVisible()
    await expect(row(page, 'signup')).toHaveCount(0)
    await page.goto(`${entryOf(app)}/events?status=hidden`)
    await expect(row(page, 'signup')).toBeVisible()
    await expect(page.getByRole('row')).toHaveCount(2)
  })

  test(
    `a question has its answer, its address and its file, ${language}`,
    long,
    async ({ page, instance }) => {
      test.slow()
      await speak(page, language)
      const app = await openWithOrders(page, instance, 'Analyses')
      await page.goto(`${entryOf(app)}/analyses/trend`)
      await page.getByRole('combobox', { name: t('analyses.eventOf', { letter: 'A' }) }).click()
      await page.locator('.ant-select-item-option').filter({ hasText: 'order' }).click()
      await page.keyboard.press('Escape')
      const split = page.getByRole('combobox', { name: t('analyses.group') })
      await split.click()
      await split.fill('$os')
      await page
        .locator('.ant-select-item-option')
        .filter({ hasText: t('analyses.os') })
        .click()
      const groups = page.getByRole('table', { name: t('analyses.groups') })
      // All people, and each system.
      await expect(groups.getByRole('row')).toHaveCount(4)
      await expect(groups).toContainText('HarmonyOS')
      await expect(page.locator('canvas')).toBeVisible()

      await page.getByRole('button', { name: t('analyses.addFilter'), exact: true }).click()
      const values = page.getByRole('combobox', { name: t('analyses.filterValue', { number: 1 }) })
      await values.click()
      await page.locator('.ant-select-item-option').filter({ hasText: 'HarmonyOS' }).click()
      await page.keyboard.press('Escape')
      await expect(groups.getByRole('row')).toHaveCount(3)
      await expectAccessible(page)

      const asked = addressOf(page)
      const written = new URLSearchParams(asked.split('?')[1]).get('q')!
      expect(JSON.parse(written)).toMatchObject({ b: ['$os'] })
      await page.reload()
      await expect(groups.getByRole('row')).toHaveCount(3)
      expect(addressOf(page)).toBe(asked)

      const title = await page.getByRole('heading', { name: /HarmonyOS/ }).innerText()
      const save = (format: string) =>
        page.getByRole('button', { name: t('dashboard.export', { title, format }) }).click()
      const downloading = page.waitForEvent('download')
      await save('CSV')
      const csv = await readFile(await (await downloading).path(), 'utf8')
      expect(csv.startsWith('\uFEFF')).toBe(true)
      expect(csv).toContain('HarmonyOS')
      const drawing = page.waitForEvent('download')
      await save('PNG')
      const png = await readFile(await (await drawing).path())
      expect(png.subarray(1, 4).toString()).toBe('PNG')
    },
  )

  test(`people are known by what they did, ${language}`, long, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const app = await openWithOrders(page, instance, 'People')
    await page.goto(`${entryOf(app)}/users`)
    await expect(page.getByRole('row')).toHaveCount(3)
    await page.getByLabel(t('people.searchAll')).fill('li')
    await expect(page.getByRole('row')).toHaveCount(2)
    await page.getByRole('link', { name: 'lin.xiaoyu', exact: true }).click()
    await expectAddress(page, `${entryOf(app)}/users/user/lin.xiaoyu`)
    const timeline = card(page, t('people.timeline'))
    await expect(timeline.getByRole('listitem')).toHaveCount(2)
    await timeline.getByRole('button', { name: /signup/ }).click()
    await expect(timeline).toContainText('lin@example.com')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'd-1', exact: true }).click()
    await expectAddress(page, `${entryOf(app)}/users/device/d-1`)
    await expect(page.getByRole('link', { name: 'lin.xiaoyu', exact: true })).toBeVisible()

    await test.step('and under a pseudonym to those who may not see who they are', async () => {
      const analyst = await addMember(page, app.own, {
        appId: app.appId,
        role: 'analyst',
        name: 'Analyst',
      })
      await speak(analyst, language)
      await analyst.goto(`${entryOf(app)}/users`)
      await expect(analyst.getByText(t('properties.redacted'))).toBeVisible()
      await expect(analyst.getByRole('row')).toHaveCount(3)
      await expect(analyst.getByRole('main')).not.toContainText('lin.xiaoyu')
      await analyst
        .getByRole('link', { name: /^p_[0-9a-f]{32}$/ })
        .first()
        .click()
      await expect(card(analyst, t('people.timeline')).getByRole('listitem').first()).toBeVisible()
      for (const step of await analyst.getByRole('button', { expanded: false }).all()) {
        if (await step.isVisible()) await step.click()
      }
      await expect(analyst.getByRole('main')).not.toContainText('lin@example.com')
      await analyst.context().close()
    })
  })

  test(`the overview is of this app alone, ${language}`, long, async ({ page, instance }) => {
    test.slow()
    await speak(page, language)
    const app = await openWithOrders(page, instance, 'Overview')
    await page.goto(entryOf(app))
    await expect(heading(page)).toHaveText(t('title.overview'))
    await expect(card(page, t('metric.events')).getByText('4', { exact: true })).toBeVisible()
    const activity = card(page, t('overview.active'))
    // No visitors on the last full day; today is shown beside it.
    const soFar = t('overview.soFar', { value: '3' })
    await expect(activity.locator('dd').first()).toHaveText(`0${soFar}`)
    await expect(activity.locator('canvas')).toBeVisible()
    const cohorts = page.getByRole('table', { name: t('overview.cohorts') })
    await expect(cohorts.getByRole('row')).toHaveCount(2)
    // The only page view is the entry and the exit of the only visit.
    for (const list of ['pages', 'entry_pages', 'exit_pages']) {
      await expect(
        card(page, t(`pages.${list}`))
          .getByRole('row')
          .last(),
      ).toContainText('100%')
    }
    await expect(card(page, t('pages.sites'))).toContainText(t('pages.direct'))
    await expectAccessible(page)
  })
}

test('the code for the shell sends an event, signed or not', async ({ page, instance }) => {
  const app = await openOwnApp(page, instance, 'Shell')
  const key = await dataOf<{ id: string; secret: string }>(
    await page.request.post(`/api/v1/apps/${app.appId}/access-keys`, { data: { name: 'shell' } }),
  )
  await page.goto(`${entryOf(app)}/quick-start?way=server`)
  const code = page.getByRole('group', { name: '服务器（签名）' })
  await expect(code).toContainText(`KEY_ID='${key.id}'`)
  const script = (await code.textContent())!
    .replace('YOUR_ACCESS_KEY_SECRET', key.secret)
    .replace(/^URL=.*/, `URL='${instance.url}'`)
  const printed = execFileSync('sh', ['-c', script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const accepted = { data: { accepted: 1 } }
  expect(JSON.parse(printed)).toMatchObject(accepted)

  await page.getByRole('tab', { name: '命令行（curl）' }).click()
  const command = (await page.getByRole('group', { name: '命令行（curl）' }).textContent())!
  const answer = execFileSync('sh', ['-c', command.replace('curl ', 'curl -sS ')]).toString()
  expect(JSON.parse(answer)).toMatchObject(accepted)
})
