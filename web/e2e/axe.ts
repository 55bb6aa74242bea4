/** The axe violations of a page as it is on screen now. */
import type { Page } from '@playwright/test'
import axe from 'axe-core'

interface Look {
  /** Only these rules. */
  only?: string[]
  /** All rules except these. */
  without?: string[]
  /** Selectors of parts to skip. */
  exclude?: string[]
}

/**
 * Axe's own wrapper for Playwright sends half a megabyte of script with every run and returns every
 * result. Here the script is injected once per document, and only violations are returned.
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
