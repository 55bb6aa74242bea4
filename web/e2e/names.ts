/**
 * Names that break careless screens: emoji of several code points, flags, right-to-left text, and a
 * character that reverses what follows. Each is exactly as long as a name may appear.
 */
import type { Page } from '@playwright/test'
import { expect } from './test'

const LENGTH = 64
const FAMILY = '👨‍👩‍👧‍👦'
const RIGHT_TO_LEFT_OVERRIDE = '\u202e'
const LEFT_TO_RIGHT_MARK = '\u200e'

/**
 * Pads with family emoji to the last character, so that a cut anywhere but between two of them
 * breaks one.
 */
function filled(start: string): string {
  const room = LENGTH - [...start].length
  const families = FAMILY.repeat(Math.floor(room / [...FAMILY].length))
  return start + families + '字'.repeat(room % [...FAMILY].length)
}

export const NAMES = {
  person: filled(`${FAMILY}مريم الأندلسي ${RIGHT_TO_LEFT_OVERRIDE}`),
  member: filled(`יעל כהן ${LEFT_TO_RIGHT_MARK}`),
  team: filled(`צוות הנתונים ${RIGHT_TO_LEFT_OVERRIDE}🇨🇳🇩🇪`),
  app: filled('متجر التطبيقات 🏳️‍🌈'),
  role: filled(`🇮🇱🇪🇬 محلل ${LEFT_TO_RIGHT_MARK}`),
  event: filled(`${RIGHT_TO_LEFT_OVERRIDE}شراء 👩🏽‍🚀`),
}

/** Fails with a sentence for each thing the page does wrong with the names. */
export async function expectNamesIntact(page: Page): Promise<void> {
  const faults = await page.evaluate(faultsOf, { names: Object.values(NAMES), family: FAMILY })
  expect(faults).toEqual([])
}

/** Runs in the page. */
function faultsOf({ names, family }: { names: string[]; family: string }): string[] {
  const texts: Text[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode as Text
    if (!text.parentElement?.closest('style, script')) texts.push(text)
  }
  return texts.flatMap((text) => {
    const parent = text.parentElement!
    const found: string[] = []
    if (isTorn(text.data)) found.push(`torn: ${parent.outerHTML}`)
    for (const name of names) {
      if (!text.data.includes(name)) continue
      if (!isIsolated(text, name)) found.push(`not isolated: ${parent.outerHTML}`)
      if (isCut(parent) && !hasWholeName(parent, name)) {
        found.push(`cut without its whole: ${parent.outerHTML}`)
      }
    }
    return found
  })

  /** Half a surrogate pair, or part of a family emoji. */
  function isTorn(text: string): boolean {
    return (
      /\p{Surrogate}/u.test(text) ||
      /[👨👩👧👦]\u200d?$|\u200d[👨👩👧👦]/u.test(text.replaceAll(family, ''))
    )
  }

  /** Whether the name is alone in its own box or between Unicode isolates. */
  function isIsolated(text: Text, name: string): boolean {
    if (text.data.replaceAll(`\u2068${name}\u2069`, '').includes(name) === false) return true
    let box = text.parentElement!
    while (isInline(box)) box = box.parentElement!
    return box.textContent?.trim() === name
  }

  function isInline(element: Element): boolean {
    const { display, unicodeBidi } = getComputedStyle(element)
    return display === 'inline' && unicodeBidi === 'normal'
  }

  function isCut(element: Element): boolean {
    for (let box: Element | null = element; box; box = box.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(box)
      if (overflowX !== 'visible' && textOverflow === 'ellipsis') {
        return box.scrollWidth > box.clientWidth
      }
    }
    return false
  }

  function hasWholeName(element: Element, name: string): boolean {
    return element.closest('[title]')?.getAttribute('title')?.includes(name) ?? false
  }
}

/** The cells of a CSV file, without quotes and byte order mark. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, separator, quoted, plain] of text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .matchAll(/(^|,|\r?\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)) {
    if (/\n/.test(separator!)) rows.push([])
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!)
  }
  return rows
}
