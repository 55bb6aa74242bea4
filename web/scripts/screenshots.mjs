/**
 * Takes the screenshots in docs/screenshots from a fresh instance with sample data: `make
 * screenshots`. Given a folder, it instead captures every page in both languages, both themes, and
 * three widths, for review.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { executablePath, personOf, root, startInstance } from './instance.mjs'

const lookFolder = process.argv[2]

/** Whole days only: a day that just began would look like a drop. */
const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
const range = `${day(30)}..${day(1)}`

/** For the team that uses the screenshot's language. */
const entry = (page) => (team) => `/org-id/${team.id}/app-id/${team.apps[0].id}${page}`
const team = (page) => (team) => `/organization/config/${page}?org=${team.id}`
const settings = (page) => (team) => `/${team.apps[0].id}/authManagement/${page}`
const pages = {
  login: { path: '/login', anonymous: true },
  register: { path: '/login?register', anonymous: true },
  sent: { path: '/emailSend?purpose=register&email=lin@example.com', anonymous: true },
  forgotten: { path: '/forgetPwd', anonymous: true },
  gone: { path: '/emailValidator/used-already', anonymous: true },
  'no-auth': { path: '/no-auth' },
  forbidden: { path: '/403' },
  'not-found': { path: '/no/such/page' },
  teams: { path: '/organization/list' },
  members: { path: team('member') },
  apps: { path: team('config-app') },
  'team-setting': { path: team('setting') },
  'team-sso': { path: team('sso') },
  'team-audit': { path: team('audit') },
  profile: { path: '/account/user-info' },
  'app-detail': { path: settings('appDetail') },
  'app-members': { path: settings('appMember') },
  'app-roles': { path: settings('appAuthority') },
  'edit-role': { path: settings('appAuthority/editRole') },
  'app-keys': { path: settings('appSecretKey') },
  'app-audit': { path: settings('appAudit') },
  dashboard: { path: (team) => `/data-dashboard?org=${team.id}&range=${range}` },
  workspace: { path: entry(`?range=${range}`) },
  events: { path: entry('/events') },
  explore: { path: entry(`/explore?range=${range}&group=%24os`) },
  live: { path: entry('/live'), then: send },
  users: { path: entry('/users') },
  person: { path: entry('/users'), then: openFirst },
  'quick-start': { path: entry('/quick-start') },
}
const pictures = [
  ['login', 'en', 'light', 1440],
  ['dashboard', 'zh', 'light', 1440],
  ['dashboard', 'en', 'dark', 1440],
  ['dashboard', 'zh', 'dark', 390],
  ['dashboard', 'en', 'light', 390],
  ['workspace', 'en', 'light', 1440],
  ['workspace', 'zh', 'dark', 1440],
  ['workspace', 'zh', 'light', 390],
  ['explore', 'en', 'light', 1440],
  ['live', 'en', 'dark', 1440],
  ['person', 'zh', 'light', 1440],
]
const everything = Object.keys(pages).flatMap((name) =>
  ['zh', 'en'].flatMap((language) =>
    ['light', 'dark'].flatMap((theme) =>
      [1920, 1440, 390].map((width) => [name, language, theme, width]),
    ),
  ),
)

const { url, demo, stop } = await startInstance(400_000)
const teams = { zh: demo.teams[0], en: demo.teams[1] }
const people = { zh: personOf(demo, teams.zh), en: personOf(demo, teams.en) }
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
})

try {
  const folder = lookFolder ?? join(root, 'docs/screenshots')
  mkdirSync(folder, { recursive: true })
  // One session each: every sign-in from a new browser would add a notification.
  const sessions = { zh: await signIn(people.zh), en: await signIn(people.en) }
  for (const [name, language, theme, width] of lookFolder ? everything : pictures) {
    const { path: place, anonymous, then } = pages[name]
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width, height: width < 500 ? 844 : 1000 },
      colorScheme: theme,
      reducedMotion: 'reduce',
      locale: language === 'zh' ? 'zh-CN' : 'en-US',
      storageState: anonymous ? undefined : sessions[language],
    })
    await context.addInitScript(
      (code) => localStorage.setItem('currentLang', code),
      language === 'zh' ? 'zh-CN' : 'en-US',
    )
    const page = await context.newPage()
    await page.goto(typeof place === 'function' ? place(teams[language]) : place)
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (then) await then(page, teams[language])
    // The live page is never idle.
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
    // Charts are drawn a moment after their data arrives.
    await page.waitForTimeout(1_000)
    const suffix = lookFolder || width < 500 ? `-${width}` : ''
    const path = join(folder, `${name}-${language}-${theme}${suffix}.png`)
    await page.screenshot({ path, fullPage: Boolean(lookFolder) })
    await context.close()
  }
} finally {
  await browser.close()
  await stop()
}

async function signIn({ email }) {
  const context = await browser.newContext({ baseURL: url })
  const answer = await context.request.post('/api/v1/login', {
    data: { email, password: demo.password },
  })
  if (!answer.ok()) throw new Error(await answer.text())
  const state = await context.storageState()
  await context.close()
  return state
}

/** Live traffic to show: a shop page's events, plus two messages that are rejected. */
async function send(page, team) {
  const steps = [
    ['page_view', '/', {}],
    ['search', '/search', { keyword: 'teapot', results: 12 }],
    ['view_item', '/item/p1004', { item_id: 'p1004', category: 'kitchen' }],
    ['add_to_cart', '/item/p1004', { item_id: 'p1004', amount: 49, currency: 'EUR' }],
    ['view_item', '/item/p1009', { item_id: 'p1009', category: 'home' }, { device_id: '' }],
    ['checkout', '/checkout', { items: 1, amount: 49, currency: 'EUR' }],
    ['purchase', '/checkout/done', { amount: 49, currency: 'EUR' }, { timestamp: 'soon' }],
    ['purchase', '/checkout/done', { amount: 49, currency: 'EUR' }],
  ]
  // Messages sent before the stream opens aren't shown.
  await page
    .getByRole('status')
    .filter({ hasText: /Live|实时接收中/ })
    .waitFor()
  for (const [event, url_path, properties, broken] of steps) {
    const data = {
      log_id: crypto.randomUUID(),
      event,
      timestamp: Date.now(),
      device_id: 'd-3f81c0',
      user_id: 'u100204',
      sdk_type: 'js',
      sdk_version: '0.2.4',
      timezone_offset: 1,
      os: 'macOS',
      language: 'en-GB',
      url_path,
      device_type: 'PC',
      browser: 'Safari',
      browser_version: '19',
      user_agent: 'Safari',
      client_version: '4.2.0',
      source: 'web',
      properties,
      ...broken,
    }
    await page.request.post('/v1/collect', {
      data: { app_key: team.apps[0].collect_key, messages: [{ type: 'Event', data }] },
    })
    await page.waitForTimeout(150)
  }
  await page.getByText('purchase', { exact: true }).first().click()
}

async function openFirst(page) {
  await page
    .getByRole('main')
    .getByRole('link', { name: /^u\d+$/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 3 }).first().waitFor()
}
