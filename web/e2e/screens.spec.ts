/** What only shows on a screen: how the width is used, and what long names do. */
import type { Page } from '@playwright/test'
import { appPath, openOwnApp } from './app'
import { dataOf, signInAsOwner } from './team'
import { expect, expectToFit, resize, test, walkTo } from './test'

const LONG =
  '跨境电商数据中台与用户增长分析平台（华东大区生产环境）第二季度专项 ios-production-analytics'

const widthOf = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox())!.width

test('wide screens are used', async ({ page, instance }) => {
  await page.setViewportSize({ width: 1920, height: 1000 })
  const { own, appId } = await openOwnApp(page, instance, 'Wide')
  await page.goto(`/organization/config/member?org=${own.orgId}`)
  await expect(page.getByRole('table')).toBeVisible()
  expect(await widthOf(page, 'table')).toBeGreaterThan(1500)
  await page.goto(`/org-id/${own.orgId}/app-id/${appId}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  expect(await widthOf(page, 'main section[aria-labelledby] >> nth=0')).toBeGreaterThan(200)
  const [left, right] = await page.evaluate(() => {
    const cards = [...document.querySelectorAll('main section')].map((card) =>
      card.getBoundingClientRect(),
    )
    return [
      Math.min(...cards.map(({ left }) => left)),
      Math.max(...cards.map(({ right }) => right)),
    ] as const
  })
  expect(right - left).toBeGreaterThan(1500)
  await expectToFit(page)
})

test('long names leave the other columns readable', async ({ page, instance }) => {
  const own = await signInAsOwner(page, instance, LONG.slice(0, 64))
  await dataOf(
    await page.request.post(`/api/v1/orgs/${own.orgId}/apps`, {
      data: { name: LONG, region: 'local', timezone: 'UTC' },
    }),
  )
  await page.goto('/account/user-info')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  for (const path of ['config/config-app', 'config/member', 'config/audit', 'list']) {
    await walkTo(page, `/organization/${path}?org=${own.orgId}`)
    const heads = page.locator('thead th')
    await expect(heads.nth(2)).toBeVisible()
    for (const head of await heads.all()) {
      const text = (await head.innerText()).trim()
      if (!text) continue
      const { height } = (await head.boundingBox())!
      // One line, at most two; never one letter per line.
      expect(height, `${path}: ${text}`).toBeLessThan(72)
    }
    const heights = await page
      .locator('tbody tr.ant-table-row')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
    expect(Math.max(...heights), path).toBeLessThan(170)
    await expectToFit(page)
  }
})

/** Paragraphs whose last line is very short, with its share of the widest line. */
const stumps = (page: Page) =>
  page.getByRole('main').evaluate((main) =>
    [...main.querySelectorAll('p')].flatMap((paragraph) => {
      const range = document.createRange()
      range.selectNodeContents(paragraph)
      const lines = new Map<number, number>()
      for (const { bottom, width } of range.getClientRects()) {
        const line = Math.round(bottom / 8)
        lines.set(line, (lines.get(line) ?? 0) + width)
      }
      const widths = [...lines.values()]
      const share = widths.at(-1)! / Math.max(...widths)
      return widths.length > 1 && share < 0.25 ? [`${share}: ${paragraph.textContent}`] : []
    }),
  )

test('no paragraph ends in a line of a word or two', async ({ page, instance }) => {
  const { appId } = await openOwnApp(page, instance, 'Lines')
  await page.goto('/organization/list')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  for (const path of ['appDetail', 'appMember', 'appAuthority', 'appSecretKey']) {
    await walkTo(page, appPath(appId, path))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    for (const width of [1440, 390]) {
      await resize(page, width, 900)
      await expect(page.locator('[aria-busy=true], .ant-skeleton')).toHaveCount(0)
      expect(await stumps(page), `${path} at ${width} px`).toEqual([])
    }
  }
})

test('the roles stand in the page, not in a window of their own', async ({ page, instance }) => {
  await page.setViewportSize({ width: 1440, height: 800 })
  const { appId } = await openOwnApp(page, instance, 'Roles')
  await page.goto(appPath(appId, 'appAuthority'))
  const grid = page.locator('div[data-overflows]')
  await expect(grid.getByRole('row').nth(20)).toBeAttached()
  expect(await grid.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThan(2)
  // The role names stay visible while the page scrolls below them.
  const name = grid.getByRole('columnheader').nth(1)
  await grid.getByRole('row').last().scrollIntoViewIfNeeded()
  await expect(name).toBeInViewport()
  await page.setViewportSize({ width: 390, height: 800 })
  await expect(grid).toHaveAttribute('data-overflows', 'true')
  await expectToFit(page)
  // There it scrolls in its frame, and keeps its headings.
  await grid.evaluate((element) => element.scrollTo(200, 200))
  const [frame, corner, first] = await Promise.all([
    grid.boundingBox(),
    grid.getByRole('columnheader').first().boundingBox(),
    grid.locator('tbody th[scope=row]').last().boundingBox(),
  ])
  expect(Math.abs(corner!.y - frame!.y)).toBeLessThan(3)
  expect(Math.abs(corner!.x - frame!.x)).toBeLessThan(3)
  expect(Math.abs(first!.x - frame!.x)).toBeLessThan(3)
})
