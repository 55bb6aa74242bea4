/** What axe has against a page, as it is on screen now. */
import type { Page } from '@playwright/test'
import axe from 'axe-core'

interface Look {
  /** These rules alone. */
  only?: string[]
  /** All rules but these. */
  without?: string[]
  /** Parts of the page that are passed over, as selectors. */
  exclude?: string[]
}

/**
 * Axe's own wrapper for Playwright sends half a megabyte of script with every look and carries every
 * result back; here the script arrives once for each document, and only what is wrong leaves it.
 */
export async function violationsIn(page: Page, look: Look = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  return page.evaluate(async ({ only, without = [], exclude = [] }) => {
    const { axe: here } = window as never as { axe: typeof axe }
    const { violations } = await here.run(
      { exclude },
      {
        resultTypes: ['violations'],
        ...(only && { runOnly: only }),
        rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
      },
    )
    return violations.map(
      ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
    )
  }, look)
}
