/**
 * Takes the pictures of docs/screenshots from a fresh instance: `make screenshots`. With a folder
 * as its argument it takes every page there in both languages, both themes and two widths instead,
 * to be looked at.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from '@playwright/test'

const root = resolve(import.meta.dirname, '../..')
const binary = process.env.ATRIUM_BIN ?? join(root, 'dist/atrium')
const lookFolder = process.argv[2]
const account = { email: 'lin@example.com', password: 'a walk in the atrium' }

const pages = {
  login: { path: '/login', anonymous: true },
  register: { path: '/login?register', anonymous: true },
  sent: { path: '/emailSend?purpose=register&email=lin@example.com', anonymous: true },
  forgotten: { path: '/forgetPwd', anonymous: true },
  gone: { path: '/emailValidator/used-already', anonymous: true },
  landing: { path: '/' },
  'no-auth': { path: '/no-auth' },
  forbidden: { path: '/403' },
  'not-found': { path: '/no/such/page' },
  members: { path: '/organization/config/member' },
  profile: { path: '/account/user-info' },
}
const pictures = [
  ['login', 'en', 'light', 1440],
  ['landing', 'zh', 'light', 1440],
  ['landing', 'en', 'dark', 1440],
]
const everything = Object.keys(pages).flatMap((name) =>
  ['zh', 'en'].flatMap((language) =>
    ['light', 'dark'].flatMap((theme) =>
      [1440, 390].map((width) => [name, language, theme, width]),
    ),
  ),
)

// Without the settings of whoever runs this: an ATRIUM_* variable would change the server.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('ATRIUM_')),
)
const data = mkdtempSync(join(tmpdir(), 'atrium-screenshots-'))
const identity = ['--email', account.email, '--name', 'Lin', '--organization', 'Harbour']
execFileSync(
  binary,
  ['admin', 'create-user', '--data-dir', data, ...identity, '--password-stdin'],
  { input: account.password, env },
)
const server = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--data-dir', data], {
  stdio: ['ignore', 'pipe', 'ignore'],
  env,
})
const url = await new Promise((found) => {
  createInterface({ input: server.stdout }).on('line', (line) => {
    const match = /listening on (http:\S+)/.exec(line)
    if (match) found(match[1])
  })
})
const executablePath = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find((path) => path && existsSync(path))
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
})

try {
  const folder = lookFolder ?? join(root, 'docs/screenshots')
  mkdirSync(folder, { recursive: true })
  for (const [name, language, theme, width] of lookFolder ? everything : pictures) {
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width, height: width < 500 ? 844 : 900 },
      colorScheme: theme,
      reducedMotion: 'reduce',
    })
    await context.addInitScript(
      (code) => localStorage.setItem('currentLang', code),
      language === 'zh' ? 'zh-CN' : 'en-US',
    )
    const { path, anonymous } = pages[name]
    if (!anonymous) await context.request.post('/api/v1/login', { data: account })
    const page = await context.newPage()
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    const suffix = lookFolder ? `-${width}` : ''
    await page.screenshot({ path: join(folder, `${name}-${language}-${theme}${suffix}.png`) })
    await context.close()
  }
} finally {
  await browser.close()
  server.kill('SIGTERM')
  rmSync(data, { recursive: true, force: true })
}
