/** The six kinds of question, each built on an empty page, and what can be done with an answer. */
import type { Locator, Page } from '@playwright/test'
import { openOwnApp } from './app'
import { loaded, message, send, type Sent } from './events'
import {
  addressOf,
  expect,
  expectAccessible,
  expectAddress,
  expectToFit,
  LANGUAGES,
  speak,
  test,
  walkTo,
  wordsOf,
  type Instance,
} from './test'
import { entryOf, heading } from './workspace'

const MINUTE = 60_000
const DAY = 1440 * MINUTE
/** A time on the same date in every time zone these tests use. */
const noon = (daysAgo: number) => (Math.floor(Date.now() / DAY) - daysAgo) * DAY + 4 * 60 * MINUTE

const anna = { device: 'd-1', user: 'anna', os: 'macOS' }
const ben = { device: 'd-2', user: 'ben', os: 'HarmonyOS' }
const visitor = { device: 'd-3', os: 'HarmonyOS' }
const at = (time: number, event: string, sent: Sent) =>
  message({ event, ...sent, broken: { timestamp: time } })
const buying = (time: number, amount: number, sent: Sent) =>
  at(time, 'purchase', { ...sent, properties: { amount } })

/** Three people visit; two of them buy, one again the next day. */
async function openShop(page: Page, instance: Instance, name: string) {
  const app = await openOwnApp(page, instance, name)
  const first = noon(3)
  const visits = [
    at(first, 'landing', anna),
    at(first + 5 * MINUTE, 'signup', anna),
    buying(first + 10 * MINUTE, 20, anna),
    at(first, 'landing', ben),
    buying(first + 10 * MINUTE, 5.5, ben),
    at(first, 'landing', visitor),
    buying(noon(2), 10, anna),
  ]
  await send(page, app.appId, ...visits)
  await loaded(page, app.appId, visits.length)
  return app
}

const options = (page: Page) => page.locator('.ant-select-item-option:visible')

/** Picks an option from a list. Multi-select lists stay open for the next. */
async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click()
  await options(page)
    .filter({ has: page.getByText(option, { exact: true }) })
    .click()
  await page.keyboard.press('Escape')
  await expect(options(page)).toHaveCount(0)
}

/**
 * Picks from a list that doesn't fit on screen, the way people do: type a few letters, press Enter.
 */
async function find(page: Page, field: string, option: string): Promise<void> {
  const box = page.getByRole('combobox', { name: field, exact: true })
  await box.click()
  await box.fill(option)
  await expect(options(page).filter({ hasText: option }).first()).toBeVisible()
  await box.press('Enter')
}

/** Clicks the label, because the radio itself takes up no space. */
async function pick(page: Page, name: string): Promise<void> {
  const radio = page.getByRole('radio', { name, exact: true })
  await page.locator('label').filter({ has: radio }).click()
  await expect(radio).toBeChecked()
}

const numbers = (table: Locator) =>
  table
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText.trim())),
    )

for (const language of LANGUAGES) {
  const t = wordsOf(language)
  const rowOf = (page: Page, name: string | RegExp) =>
    page
      .getByRole('table', { name: t('analyses.groups') })
      .getByRole('row')
      .filter({ hasText: name })
  const people = (page: Page) => page.getByRole('dialog', { name: t('results.peopleTitle') })
  const open = async (page: Page, entry: string, kind: string) => {
    const list = `${entry}/analyses`
    await (page.url() === 'about:blank' ? page.goto(list) : walkTo(page, list))
    const kinds = page.getByRole('navigation', { name: t('analyses.begin') })
    await kinds.getByRole('link', { name: t(`analyses.kind.${kind}`) }).click()
    await expect(heading(page)).toHaveText(t(`analyses.kind.${kind}`))
  }

  /** Saves the question under a name. That it opens by its address is the same for every kind. */
  const keep = async (page: Page, kind: string) => {
    const name = `${kind} 1`
    await page.getByRole('button', { name: t('common.save'), exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(t('analyses.name'), { exact: true }).fill(name)
    await dialog.getByRole('button', { name: t('common.save') }).click()
    await expect(heading(page)).toHaveText(name)
    await expectAddress(page, new RegExp(`/analyses/${kind}\\?saved=[\\w-]+$`))
  }

  test(`a trend is asked, changed, taken back and kept, ${language}`, async ({
    page,
    instance,
  }) => {
    test.slow()
    await speak(page, language)
    const entry = entryOf(await openShop(page, instance, 'Trend'))
    await open(page, entry, 'trend')
    await expect(rowOf(page, t('analyses.measure.events'))).toContainText('7')

    await test.step('a sum, people, and a formula of both', async () => {
      await choose(page, t('analyses.eventOf', { letter: 'A' }), 'purchase')
      await choose(page, t('analyses.measureOf', { letter: 'A' }), t('analyses.measure.sum'))
      await expect(page.getByText(t('analyses.missing.property'))).toBeVisible()
      await find(page, t('analyses.propertyOf', { letter: 'A' }), 'amount')
      await expect(rowOf(page, 'purchase')).toContainText('35.5')
      await page.getByRole('button', { name: t('analyses.addSeries') }).click()
      await choose(page, t('analyses.eventOf', { letter: 'B' }), 'purchase')
      await choose(page, t('analyses.measureOf', { letter: 'B' }), t('analyses.measure.people'))
      await expect(rowOf(page, /^B/)).toContainText('2')
      await page.getByRole('textbox', { name: t('analyses.formula') }).fill('A / B')
      await expect(rowOf(page, 'A / B')).toContainText('17.75')
      await expect(page.locator('canvas')).toBeVisible()
      await expectAccessible(page)
    })

    await test.step('Back takes a change back', async () => {
      const asked = addressOf(page)
      await page.goBack()
      await expect(rowOf(page, 'A / B')).toHaveCount(0)
      await expect(rowOf(page, /^B/)).toContainText('2')
      await page.goForward()
      await expect(rowOf(page, 'A / B')).toContainText('17.75')
      expect(addressOf(page)).toBe(asked)
    })

    await test.step('it is broken down', async () => {
      await find(page, t('analyses.group'), t('analyses.os'))
      await expect(rowOf(page, /^A .*macOS/)).toContainText('30')
      await expect(rowOf(page, /^A .*HarmonyOS/)).toContainText('5.5')
    })

    await test.step('it is kept, and opens by its address as it was', async () => {
      await page.getByRole('button', { name: t('common.save'), exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(t('analyses.name'), { exact: true }).fill('Basket')
      await dialog.getByRole('button', { name: t('common.save') }).click()
      await expect(heading(page)).toHaveText('Basket')
      await expectAddress(page, /\/analyses\/trend\?saved=[\w-]+$/)
      await page.reload()
      await expect(heading(page)).toHaveText('Basket')
      await expect(rowOf(page, 'A / B')).toContainText('17.75')
      await expect(rowOf(page, /^A .*HarmonyOS/)).toContainText('5.5')
      await walkTo(page, `${entry}/analyses`)
      await expect(page.getByRole('link', { name: 'Basket', exact: true })).toBeVisible()
    })
  })

  test(`a funnel and retention lead to people and cohorts, ${language}`, async ({
    page,
    instance,
  }) => {
    test.slow()
    await speak(page, language)
    const entry = entryOf(await openShop(page, instance, 'Funnel'))

    await test.step('a funnel, as a whole and by system', async () => {
      await open(page, entry, 'funnel')
      await expect(page.getByText(t('analyses.missing.steps'))).toBeVisible()
      await choose(page, t('analyses.step', { number: 1 }), 'landing')
      await choose(page, t('analyses.step', { number: 2 }), 'purchase')
      await expect(page.getByText('66.7%', { exact: true })).toBeVisible()
      await find(page, t('analyses.group'), t('analyses.os'))
      await pick(page, t('results.funnel.view.groups'))
      const groups = page.getByRole('table', { name: t('results.funnel.view.groups') }).last()
      await expect(groups.getByRole('row').filter({ hasText: 'HarmonyOS' })).toContainText('50%')
      await expectAccessible(page)
      await pick(page, t('results.funnel.view.steps'))
      await keep(page, 'funnel')
      await page.reload()
      await expect(heading(page)).toHaveText('funnel 1')
      await expect(page.getByText('66.7%', { exact: true })).toBeVisible()
    })

    await test.step('who bought becomes a cohort', async () => {
      const behind = t('results.seePeopleOf', { of: 'purchase', count: 2 })
      await page.getByRole('button', { name: behind }).click()
      await expect(people(page).getByRole('link')).toHaveText(['anna', 'ben'])
      await expectAccessible(page)
      await people(page)
        .getByRole('button', { name: t('analyses.saveCohort') })
        .click()
      const dialog = page.getByRole('dialog', { name: t('analyses.saveCohort') })
      await dialog.getByLabel(t('analyses.name'), { exact: true }).fill('Buyers')
      await dialog.getByRole('button', { name: t('common.save') }).click()
      await expect(people(page).getByText(t('analyses.cohortSaved'))).toBeVisible()
      await walkTo(page, `${entry}/cohorts`)
      const kept = page.getByRole('row').filter({ hasText: 'Buyers' })
      await expect(kept.getByRole('cell', { name: '2', exact: true })).toBeVisible()
    })

    await test.step('retention, of the cohort alone', async () => {
      await open(page, entry, 'retention')
      await choose(page, t('analyses.first'), 'landing')
      await choose(page, t('analyses.returning'), 'purchase')
      const table = page.getByRole('table', { name: t('results.retention.view.table') }).last()
      const cohort = async (size: string) =>
        (await numbers(table))
          .slice(1)
          .find(([began]) => began === size)
          ?.slice(0, 3)
      await expect.poll(() => cohort('3')).toEqual(['3', '66.7%', '33.3%'])
      await page.getByRole('button', { name: t('analyses.addFilter'), exact: true }).click()
      await find(page, t('analyses.filterProperty', { number: 1 }), 'Buyers')
      await expect.poll(() => cohort('2')).toEqual(['2', '100%', '50%'])
      await keep(page, 'retention')
      // The last of the cells that are not zero: who came back on the next day.
      const row = table.getByRole('row').filter({ hasText: '50%' }).last()
      await row.getByTitle(t('results.seePeople')).last().click()
      await expect(people(page).getByRole('link')).toHaveText(['anna'])
    })

    await test.step('a trend of those in the cohort and of the others', async () => {
      await open(page, entry, 'trend')
      await find(page, t('analyses.group'), 'Buyers')
      await expect(rowOf(page, '85.7%')).toContainText('Buyers')
      await expect(rowOf(page, t('results.notInCohort', { name: 'Buyers' }))).toContainText('1')
      await expectAddress(page, /q=/)
      const others = t('results.notInCohort', { name: 'Buyers' })
      await page
        .getByRole('button', { name: t('results.seePeopleOf', { of: others, count: 1 }) })
        .click()
      await expect(people(page).getByRole('link')).toHaveText(['d-3'])
    })
  })

  test(`paths, a distribution and a lifecycle tell what was done, ${language}`, async ({
    page,
    instance,
  }) => {
    test.slow()
    await speak(page, language)
    const entry = entryOf(await openShop(page, instance, 'Paths'))

    await test.step('paths', async () => {
      await open(page, entry, 'paths')
      await expect(page.getByText(t('analyses.missing.path'))).toBeVisible()
      await choose(page, t('analyses.end.from'), 'landing')
      await expect(page.getByText(t('results.paths.people.from', { count: 3 }))).toBeVisible()
      await expect(page.locator('canvas')).toBeVisible()
      await pick(page, t('results.paths.view.table'))
      const table = page.getByRole('table', { name: t('results.paths.title') })
      const steps = async () => (await numbers(table)).map((cells) => cells.slice(0, 4).join(' '))
      await expect
        .poll(async () => (await steps()).sort())
        .toEqual(['1 landing purchase 1', '1 landing signup 1', '2 signup purchase 1'])
      await table
        .getByRole('row')
        .filter({ hasText: 'signup' })
        .first()
        .getByTitle(t('results.seePeople'))
        .click()
      await expect(people(page).getByRole('link')).toHaveText(['anna'])
      await page.keyboard.press('Escape')
      await keep(page, 'paths')
    })

    await test.step('a distribution', async () => {
      await open(page, entry, 'distribution')
      await choose(page, t('events.event'), 'purchase')
      const table = page.getByRole('table', { name: t('results.distribution.title') }).last()
      const sizes = async () => (await numbers(table)).map(([size]) => size)
      // Did it once, and twice.
      await expect.poll(async () => (await sizes()).slice(0, 3)).toEqual(['1', '1', '0'])
      await pick(page, t('analyses.distributionOf.property'))
      await find(page, t('analyses.numericProperty'), 'amount')
      await page.getByRole('textbox', { name: t('analyses.edges') }).fill('0, 10')
      await expect.poll(sizes).toEqual(['1', '1'])
      await keep(page, 'distribution')
      await table.getByTitle(t('results.seePeople')).first().click()
      await expect(people(page).getByRole('link')).toHaveText(['ben'])
    })

    await test.step('a lifecycle', async () => {
      await open(page, entry, 'lifecycle')
      await choose(page, t('analyses.activeBy'), 'purchase')
      const table = page.getByRole('table', { name: t('results.lifecycle.title') }).last()
      const busy = async () =>
        (await numbers(table)).filter((cells) => cells.some((cell) => Number(cell) > 0))
      // Newest first: new, returning, resurrected, dormant.
      await expect.poll(busy).toEqual([
        ['0', '0', '0', '1'],
        ['0', '1', '0', '1'],
        ['2', '0', '0', '0'],
      ])
      await keep(page, 'lifecycle')
      await table.getByTitle(t('results.seePeople')).filter({ hasText: /^2$/ }).click()
      await expect(people(page).getByRole('link')).toHaveText(['anna', 'ben'])
    })
  })

  test(`a question is asked on a phone, also by an older address, ${language}`, async ({
    page,
    instance,
  }) => {
    test.slow()
    await page.setViewportSize({ width: 390, height: 844 })
    await speak(page, language)
    const entry = entryOf(await openShop(page, instance, 'Phone'))
    await page.goto(`${entry}/explore?event=purchase&measure=users&group=%24os&range=30d`)
    await expectAddress(page, /\/analyses\/trend\?/)
    await expect(rowOf(page, 'macOS')).toContainText('1')
    await expect(rowOf(page, /purchase/)).toContainText('2')
    await expectToFit(page)
    // The answer comes first, below the sentence that says what is asked; the question is a tap away.
    const sentence = page.getByRole('heading', { level: 2, name: 'purchase' })
    expect((await sentence.boundingBox())!.y).toBeLessThan(844 / 2)
    await expect(page.locator('canvas')).toBeInViewport()
    const question = page.getByRole('region', { name: t('analyses.question') })
    await expect(question).toBeHidden()
    await page.getByRole('button', { name: t('analyses.editQuestion') }).click()
    await expect(question).toBeVisible()
    await expectToFit(page)

    await open(page, entry, 'funnel')
    await choose(page, t('analyses.step', { number: 1 }), 'landing')
    await choose(page, t('analyses.step', { number: 2 }), 'signup')
    await expect(page.getByText('33.3%', { exact: true })).toBeVisible()
    await expectToFit(page)
    await page.getByText(t('results.funnel.dropped', { count: 2 })).click()
    await expect(people(page).getByRole('link')).toHaveText(['ben', 'd-3'])
    await expectToFit(page)
    await expectAccessible(page)
  })

  test(`a funnel is built, read and saved by keyboard alone, ${language}`, async ({
    page,
    instance,
  }) => {
    test.slow()
    await speak(page, language)
    const entry = entryOf(await openShop(page, instance, 'Keys'))
    await page.goto(`${entry}/analyses`)
    const tabTo = async (wanted: Locator) => {
      await expect(wanted).toBeVisible()
      const isFocused = () => wanted.evaluate((element) => element === document.activeElement)
      for (let steps = 0; steps < 80 && !(await isFocused()); steps += 1) {
        await page.keyboard.press('Tab')
      }
      await expect(wanted).toBeFocused()
    }
    const choices = page.getByRole('navigation', { name: t('analyses.begin') })
    await tabTo(choices.getByRole('link', { name: t('analyses.kind.funnel') }))
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText(t('analyses.kind.funnel'))

    for (const [index, event] of ['landing', 'purchase'].entries()) {
      const step = t('analyses.step', { number: index + 1 })
      await tabTo(page.getByRole('combobox', { name: step, exact: true }))
      await page.keyboard.type(event)
      await expect(options(page).filter({ hasText: event })).toBeVisible()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Escape')
    }
    await expect(page.getByText('66.7%', { exact: true })).toBeVisible()

    const bought = t('results.seePeopleOf', { of: 'purchase', count: 2 })
    await tabTo(page.getByRole('button', { name: bought }))
    await page.keyboard.press('Enter')
    await expect(people(page).getByRole('link')).toHaveText(['anna', 'ben'])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('button', { name: bought })).toBeFocused()

    await tabTo(page.getByRole('button', { name: t('common.save'), exact: true }))
    await page.keyboard.press('Enter')
    const name = page.getByRole('dialog').getByLabel(t('analyses.name'), { exact: true })
    await tabTo(name)
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    await expect(heading(page)).toHaveText('By keyboard')
  })
}
