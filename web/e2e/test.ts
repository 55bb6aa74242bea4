/** The base test with Atrium's fixtures: a running server, an account, and a monitored page. */
import { readFileSync } from 'node:fs'
import { test as base, expect, type Page } from '@playwright/test'
import { violationsIn } from './axe'
import { createAccount, withDataFolder, withServer, type Account, type Server } from './server'

export interface Instance {
  url: string
  dataFolder: string
  account: Account
  orgId: string
}

interface WorkerFixtures {
  /** Settings of the shared server; a file with its own settings gets its own server. */
  serverFlags: string[]
  /** One server with one account, shared by a worker's tests. */
  instance: Instance
}

interface TestFixtures {
  /** A server nobody has set up yet, for this test only. */
  emptyServer: Server
  /** A server where registration is by invitation only. */
  closedServer: Server
  /** Browser complaints. A test that expects some removes them. */
  complaints: string[]
  signedIn: Page
  /** Skips a flow in the language it isn't assigned to. */
  languageTurn: undefined
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  // Runs before all others, so that skipping costs nothing.
  languageTurn: [
    async ({}, use, { file, title }) => {
      const language = LANGUAGES.find((each) => title.includes(each))
      test.skip(language !== undefined && !hasTurn(file, title, language), 'in the other language')
      await use(undefined)
    },
    { auto: true },
  ],

  serverFlags: [[], { scope: 'worker', option: true }],

  instance: [
    async ({ serverFlags }, use, worker) => {
      const account: Account = {
        email: `lin${worker.workerIndex}@example.com`,
        name: '林小雨',
        organization: '数据平台部',
        password: 'correct horse battery',
      }
      await withDataFolder(async (folder) => {
        const { org_id: orgId } = createAccount(folder, account)
        const share = ({ url }: Server) => use({ url, dataFolder: folder, account, orgId })
        await withServer(folder, share, serverFlags)
      })
    },
    { scope: 'worker' },
  ],

  emptyServer: async ({}, use) => {
    await withDataFolder((folder) => withServer(folder, use))
  },

  closedServer: async ({}, use) => {
    await withDataFolder((folder) => withServer(folder, use, ['--registration', 'invite']))
  },

  baseURL: async ({ instance }, use) => use(instance.url),

  // Every test fails on a policy violation, an uncaught error, or a console error.
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = []
      watch(page, complaints)
      await use(complaints)
      expect(complaints, 'what the browser complained about').toEqual([])
    },
    { auto: true },
  ],

  signedIn: async ({ page, instance }, use) => {
    await signInByCall(page, instance)
    await use(page)
  },
})

export { expect }

function watch(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    // The browser logs every response of 400 and above; whether one is expected is up to the test.
    if (/Failed to load resource/.test(message.text())) return
    complaints.push(`${message.type()}: ${message.text()}`)
  })
  void page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(
        `policy violation: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`,
      )
    })
  })
}

/** A separate account on the shared server, for tests that change what others rely on. */
export function ownAccount(instance: Instance, name: string): Instance {
  const account: Account = {
    ...instance.account,
    name,
    email: `${crypto.randomUUID().slice(0, 8)}@example.com`,
    organization: `${name}的团队`,
  }
  const { org_id: orgId } = createAccount(instance.dataFolder, account)
  return { ...instance, account, orgId }
}

export const unusedAddress = () => `${crypto.randomUUID().slice(0, 8)}@example.com`

type Words = (key: string, params?: Record<string, string | number>) => string

/** The real language packs, so that a flow runs in either language with the same steps. */
export function wordsOf(language: Language): Words {
  const file = new URL(`../public/locale/${language}.json`, import.meta.url)
  const pack = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  return (key, params = {}) => {
    const text = pack[key]
    if (!text) throw new Error(`no text ${key} in ${language}`)
    return text.replace(/\{(\w+)\}/g, (place, name: string) =>
      (params[name] ?? place).toLocaleString(language),
    )
  }
}

export const LANGUAGES = ['zh-CN', 'en-US'] as const
export type Language = (typeof LANGUAGES)[number]

/**
 * Marks a flow whose every rule is also tested without a browser, where a test costs a tenth:
 * `test('…', long, async …)`. It shows the whole once more, but only `LONG_TESTS=1` runs it, as
 * `make test-long` does.
 */
export const long = { tag: '@long' }

/** Files that test the wording itself. */
const IN_BOTH_LANGUAGES = /(pages|language|behaviors-failures)\.spec\.ts$/

/**
 * A flow works the same in either language, so each runs in one of them, half of them in each.
 * `BOTH_LANGUAGES=1` runs all in both, as `make test-long` does.
 */
function hasTurn(file: string, title: string, language: Language): boolean {
  if (process.env.BOTH_LANGUAGES || IN_BOTH_LANGUAGES.test(file)) return true
  return LANGUAGES[turnOf(title.replace(language, '')) % LANGUAGES.length] === language
}

/** A number that stays the same as long as the title does. */
function turnOf(title: string): number {
  return [...title].reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0)
}

/** Call before the first page: the console opens in this language. */
export async function speak(page: Page, language: Language): Promise<void> {
  await page.addInitScript((code) => localStorage.setItem('currentLang', code), language)
}

/** Signs in without the form: the cookie is set in the page's own context. */
export async function signInByCall(page: Page, { url, account }: Instance): Promise<void> {
  const answer = await page.request.post(`${url}/api/v1/login`, {
    data: { email: account.email, password: account.password },
  })
  expect(answer.status()).toBe(200)
}

/** Fills in the form's first step. */
export async function fillSignIn(page: Page, language: Language, account: Account): Promise<void> {
  const t = wordsOf(language)
  await page.getByLabel(t('field.email'), { exact: true }).fill(account.email)
  await page.getByLabel(t('field.password'), { exact: true }).fill(account.password)
  await page.getByRole('button', { name: t('login.submit'), exact: true }).click()
}

/**
 * Rewrites what the server says about the signed-in user, for states it can't be brought into yet.
 */
export async function rewriteUser(
  page: Page,
  change: (user: Record<string, unknown>) => object,
): Promise<void> {
  await page.route('**/api/v1/current', async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const answer = await route.fetch()
    if (!answer.ok()) return route.fulfill({ response: answer })
    const { data } = (await answer.json()) as { data: Record<string, unknown> }
    await route.fulfill({ response: answer, json: { data: { ...data, ...change(data) } } })
  })
}

export const THEMES = ['light', 'dark'] as const

/** A busy button can't be clicked, like a disabled one, and is just as faint. */
const exclude = ['.ant-btn-loading']

export async function expectAccessible(page: Page): Promise<void> {
  // Measuring contrast takes most of the time, and both languages share one palette.
  const language = await page.locator('html').getAttribute('lang')
  const without = language === 'en-US' ? ['color-contrast'] : []
  expect(await violationsIn(page, { exclude, without })).toEqual([])
}

/**
 * A theme only changes colors, so the second one is only checked for contrast. One visit covers both,
 * because visits are slow. For pages; see below for what opens on them.
 */
export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  const root = page.locator('html')
  await expectAccessible(page)
  // Drawing in another theme costs half as much as the check, so the page stays in it.
  const other = (await root.getAttribute('data-theme')) === 'light' ? 'dark' : 'light'
  await page.emulateMedia({ colorScheme: other })
  await expect(root).toHaveAttribute('data-theme', other)
  expect(await violationsIn(page, { exclude, only: ['color-contrast'] })).toEqual([])
}

/**
 * For what opens on a page (dialogs, menus) and for the page on a phone: it is seen in one of the themes, half
 * of the flows in each, because theme/palette.test.ts holds every pair of colors to its contrast. In both with
 * `LONG_TESTS=1`.
 */
export async function expectAccessibleInOneTheme(
  page: Page,
  theme = THEMES[turnOf(test.info().title) % THEMES.length]!,
): Promise<void> {
  if (process.env.LONG_TESTS) return expectAccessibleInBothThemes(page)
  await page.emulateMedia({ colorScheme: theme })
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
  await expectAccessible(page)
}

/** Fires the page's timers, repeatedly, until the expected result appears. */
export async function passTime(
  page: Page,
  milliseconds: number,
  shows: () => Promise<void>,
): Promise<void> {
  await expect(async () => {
    await page.clock.runFor(milliseconds)
    await shows()
  }).toPass({ timeout: 40_000, intervals: [100] })
}

/**
 * Goes to another console page like a link does, without a reload, which is most of a visit's cost.
 * For walks over many pages that other tests open by URL.
 */
export async function walkTo(page: Page, path: string): Promise<void> {
  await page.evaluate((address) => {
    document.querySelector('h1')?.setAttribute('data-left', '')
    // With the history index that the router gives its own entries.
    const { idx = 0 } = (history.state ?? {}) as { idx?: number }
    history.pushState({ idx: idx + 1 }, '', address)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
  // The old page stays on screen until the new page's code has loaded.
  await expect(page.locator('h1[data-left]')).toHaveCount(0)
}

/** Resizes the window and waits a frame or two for the page to adapt. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height })
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  )
}

/** Expects the page not to scroll sideways. */
export async function expectToFit(page: Page): Promise<void> {
  // Charts and tables adapt to a new width a moment later.
  await expect
    .poll(() =>
      page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        return scrollWidth - clientWidth
      }),
    )
    .toBeLessThanOrEqual(0)
}

/** The URL without its origin, as the user sees it. */
export function addressOf(page: Page): string {
  const { pathname, search, hash } = new URL(page.url())
  return pathname + search + hash
}

/** By default, poll backs off to once a second. */
const OFTEN = { intervals: [50] }

export const expectAddress = (page: Page, address: string | RegExp) =>
  address instanceof RegExp
    ? expect.poll(() => addressOf(page), OFTEN).toMatch(address)
    : expect.poll(() => addressOf(page), OFTEN).toBe(address)
