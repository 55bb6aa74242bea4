/** The console's own errors: from a browser to the operator's page, with no secrets on the way. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { appPath, openOwnApp } from './app'
import { withDataFolder, withServer } from './server'
import {
  expect,
  expectAccessible,
  expectToFit,
  long,
  ownAccount,
  signInByCall,
  test,
  wordsOf,
} from './test'
import { totpCode } from './totp'

const TUNNEL = '/api/v1/error-reports'
const t = wordsOf('zh-CN')

test.use({ serverFlags: ['--error-reports', 'true'] })

// Run on one worker: each additional worker would start another server.
test.describe.configure({ mode: 'default' })

/** Everything sent to the tunnel, unpacked. */
function watchTunnel(page: Page) {
  const bodies: string[] = []
  const refused: number[] = []
  page.on('response', (response) => {
    if (response.url().endsWith(TUNNEL) && response.status() !== 200)
      refused.push(response.status())
  })
  page.on('request', (request) => {
    if (!request.url().endsWith(TUNNEL)) return
    const body = request.postDataBuffer() ?? Buffer.alloc(0)
    const packed = request.headers()['content-encoding'] === 'gzip'
    bodies.push((packed ? gunzipSync(body) : body).toString('utf8'))
  })
  return { refused, text: () => bodies.join('\n') }
}

const isClient = (url: string) => /\/assets\/sentry-[\w-]+\.js$/.test(url)

/** The reporting client loads when the page is idle. */
async function openReporting(page: Page, path: string): Promise<void> {
  const loaded = page.waitForResponse((response) => isClient(response.url()))
  await page.goto(path)
  await loaded
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/** What is on screen has been recorded once the next frame is drawn. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise((resume) => requestAnimationFrame(resume)))

/** Throws an uncaught error, like a bug of ours. */
async function breakSomething(page: Page, complaints: string[], message: string): Promise<void> {
  await expect
    .poll(async () => {
      await page.evaluate((text) => {
        setTimeout(() => {
          throw new RangeError(text)
        })
      }, message)
      await expect.poll(() => complaints.length).toBeGreaterThan(0)
      return complaints.splice(0).every((complaint) => complaint.includes(message))
    })
    .toBe(true)
}

test('an error before sign-in is told too, without the client and without a cookie', async ({
  page,
  complaints,
}) => {
  const scripts: string[] = []
  page.on('request', (request) => scripts.push(request.url()))
  // One page in four is sampled; make sure this one is.
  await page.addInitScript(() => {
    Math.random = () => 0
  })
  await page.goto('/login')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const message = `broken before sign-in ${crypto.randomUUID()}`
  const sent = page.waitForRequest((request) => request.url().endsWith(TUNNEL))
  await breakSomething(page, complaints, message)
  const report = await sent
  expect(report.postData()).toContain(message)
  expect((await report.response())?.status()).toBe(200)
  expect(await report.headerValue('cookie')).toBeNull()
  // The client would come once the page is idle.
  await page.evaluate(() => new Promise((idle) => requestIdleCallback(idle)))
  expect(scripts.filter(isClient)).toEqual([])
})

test('an error in the page arrives on the operator’s page, with what was on screen', async ({
  page,
  instance,
  complaints,
}) => {
  test.slow()
  await signInByCall(page, instance)
  const message = `broken on purpose ${crypto.randomUUID()}`
  const { text, refused } = watchTunnel(page)
  await openReporting(page, '/organization/list')
  await breakSomething(page, complaints, message)
  // The recording follows the report.
  await expect.poll(() => text().includes('replay_recording'), { timeout: 20_000 }).toBe(true)
  expect(text()).toContain(message)

  await page.getByRole('button', { name: /账号菜单/ }).click()
  await page.getByRole('menuitem', { name: t('title.errors') }).click()
  const entry = page.getByRole('link', { name: new RegExp(`RangeError\\s*${message}`) })
  await expect(entry).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 360, height: 780 })
  await expectToFit(page)
  await entry.click()
  await expect(page.getByRole('group', { name: t('errors.stack') })).toContainText(message)
  await expect(page.getByText('/organization/list', { exact: true }).first()).toBeVisible()
  await expectToFit(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await expectAccessible(page)

  const replay = page.getByRole('button', { name: t('errors.downloadReplay') }).first()
  await expect(async () => {
    await page.reload()
    await expect(replay).toBeVisible({ timeout: 2_000 })
  }).toPass()
  const saved = page.waitForEvent('download')
  await replay.click()
  const file = JSON.parse(readFileSync(await (await saved).path(), 'utf8')) as { events: object[] }
  expect(file.events.length).toBeGreaterThan(1)
  expect(JSON.stringify(file)).toContain(instance.account.organization)

  await page.getByRole('button', { name: t('errors.remove'), exact: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: t('errors.remove') })
    .click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('title.errors'))
  await expect(entry).toHaveCount(0)
  expect(refused, 'everything that is sent is taken').toEqual([])
})

test(
  'a screen whose code does not arrive after a reload either is reported too',
  long,
  async ({ page, instance, complaints }) => {
    await signInByCall(page, instance)
    const { text } = watchTunnel(page)
    await openReporting(page, '/organization/list')
    await page.route(/\/assets\/DashboardPage-[\w-]+\.js$/, (route) => route.abort())
    await page.getByRole('link', { name: t('section.dashboard') }).click()
    await expect(page.getByRole('heading', { name: t('missing.title') })).toBeVisible()
    await expect.poll(() => text().includes('Failed to fetch dynamically imported')).toBe(true)
    // The browser logs it too.
    complaints.splice(0)
  },
)

test('nobody else sees it, nor the way there', long, async ({ page, instance }) => {
  const other = ownAccount(instance, '旁人')
  await signInByCall(page, other)
  await page.goto('/organization/list')
  await page.getByRole('button', { name: /账号菜单/ }).click()
  await expect(page.getByRole('menuitem', { name: t('person.signOut') })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: t('title.errors') })).toHaveCount(0)
  await page.goto('/operator/errors')
  await expect(page.getByText(t('errors.operatorOnly'))).toBeVisible()
  expect((await page.request.get('/api/v1/error-groups')).status()).toBe(403)
})

test('nothing of it is loaded before sign-in', long, async ({ page }) => {
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  await page.clock.install()
  await page.goto('/login')
  await page.waitForLoadState('networkidle')
  await page.clock.runFor(60_000)
  await page.waitForLoadState('networkidle')
  expect(loaded.filter((url) => isClient(url) || url.endsWith(TUNNEL))).toEqual([])
})

test('passwords, codes, secrets and tokens are in no report and no recording', async ({
  page,
  instance,
  complaints,
}) => {
  test.slow()
  const secrets: string[] = []
  const tunnel = watchTunnel(page)
  const { appId } = await openOwnApp(page, instance, 'Guarded')
  await openReporting(page, '/account/user-info')
  // After an error, everything that happens is recorded and sent.
  await breakSomething(page, complaints, 'from here on')
  await expect
    .poll(() => tunnel.text().includes('replay_recording'), { timeout: 20_000 })
    .toBe(true)

  await test.step('a password, also while it is shown', async () => {
    const fields = ['field.currentPassword', 'field.newPassword']
    for (const [index, value] of ['typed-current-pw', 'typed-brand-new-pw'].entries()) {
      secrets.push(value)
      const field = page.getByLabel(t(fields[index]!), { exact: true })
      await field.pressSequentially(value)
      await page
        .getByRole('button', { name: t('password.show') })
        .first()
        .click()
      await expect(field).toHaveAttribute('type', 'text')
      await field.pressSequentially('!')
    }
    await drawn(page)
    for (const name of fields) await page.getByLabel(t(name), { exact: true }).fill('')
  })

  await test.step('an authenticator app’s secret, its code and the recovery codes', async () => {
    await page.getByRole('button', { name: t('totp.enable') }).click()
    const dialog = page.getByRole('dialog')
    const secret = await dialog.locator('code').innerText()
    secrets.push(secret, secret.replace(/\s/g, ''))
    const picture = await dialog.getByRole('img', { name: t('totp.qr') }).getAttribute('src')
    secrets.push(picture!.slice(300, 400))
    const code = totpCode(secret)
    secrets.push(code)
    await dialog.getByLabel(t('totp.code')).pressSequentially(code)
    await expect(dialog.getByRole('listitem').first()).toBeVisible()
    secrets.push(...(await dialog.getByRole('listitem').allInnerTexts()))
    await drawn(page)
    await dialog.getByLabel(t('recovery.stored')).check()
    await dialog.getByRole('button', { name: t('recovery.done') }).click()
    await expect(dialog).toHaveCount(0)
  })

  await test.step('an access key’s secret', async () => {
    const account = await page.request.post('/api/v1/current/reauth', {
      data: { password: instance.account.password, code: totpCode(secrets[2]!, 1) },
    })
    expect(account.status()).toBe(200)
    await page.goto(appPath(appId, 'appSecretKey'))
    await page.getByRole('button', { name: t('accessKey.create') }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: t('accessKey.name') }).fill('recorded name')
    await dialog.getByRole('button', { name: t('accessKey.createSubmit'), exact: true }).click()
    const stored = dialog.getByRole('checkbox', { name: t('keys.stored') })
    await expect(stored).toBeVisible()
    const shown = await dialog.locator('dd code').allInnerTexts()
    // A key's ID isn't secret, but its secret is.
    secrets.push(shown.find((value) => !value.startsWith('AK'))!)
    await drawn(page)
    await stored.check()
    await dialog.getByRole('button', { name: t('recovery.done') }).click()
  })

  await test.step('tokens in addresses', async () => {
    secrets.push('mailed-token-1', 'mailed-token-2', 'outside-code-3', 'outside-state-4')
    await page.evaluate(async () => {
      await fetch('/api/v1/register/token?token=mailed-token-1')
      const here = location.href
      history.pushState(
        null,
        '',
        '/pwdReset/mailed-token-2?code=outside-code-3&state=outside-state-4',
      )
      console.info('at', location.href)
      await new Promise((done) => setTimeout(done, 300))
      history.pushState(null, '', here)
    })
    await breakSomething(page, complaints, 'at /emailValidator/mailed-token-1')
  })

  // Recordings are sent in order, so once the end arrives, everything before it has.
  const end = 'the end of the recording'
  await page.evaluate((text) => {
    document.querySelector('main')!.append(text)
  }, end)
  await expect.poll(() => tunnel.text().includes(end), { timeout: 20_000 }).toBe(true)
  const sent = tunnel.text()
  expect(sent, 'what is no secret is recorded').toContain('recorded name')
  expect(sent).toContain('/pwdReset/:token')
  for (const secret of secrets) expect(sent.includes(secret), secret).toBe(false)
  expect(tunnel.refused, 'everything that is sent is taken').toEqual([])
})

test('a tab of the version before finds its files after an upgrade', long, async ({ page }) => {
  await withDataFolder(async (folder) => {
    await withServer(folder, async () => {})
    const assets = join(folder, 'assets')
    const [own] = readdirSync(assets).filter((name) => /^[0-9a-f]{32}$/.test(name))
    // Pretend this build's stored data came from an earlier version.
    const before = '0123456789abcdef0123456789abcdef'
    renameSync(join(assets, own!), join(assets, before))
    const manifest = join(assets, before, 'manifest.json')
    const about = JSON.parse(readFileSync(manifest, 'utf8')) as {
      version: string
      files: Record<string, { size: number; sha256: string }>
    }
    about.version = 'v25.9.1'
    const script = "export const old = 'still works'"
    about.files['assets/Old-AAAAAAAA.js'] = { size: script.length, sha256: 'ab'.repeat(32) }
    writeFileSync(manifest, JSON.stringify(about))
    writeFileSync(join(assets, before, 'assets/Old-AAAAAAAA.js'), script)

    await withServer(folder, async ({ url }) => {
      await page.goto(`${url}/login`)
      const loaded = await page.evaluate(async () => {
        const address = '/v25.9.1/assets/Old-AAAAAAAA.js'
        const { old } = (await import(address)) as { old: string }
        const pack = await fetch('/v25.9.1/locale/en-US.json')
        return { old, pack: Object.keys((await pack.json()) as object).length }
      })
      expect(loaded.old).toBe('still works')
      expect(loaded.pack).toBeGreaterThan(100)
      const chunk = Object.keys(about.files).find((name) => /^assets\/.*\.js$/.test(name))!
      const answer = await page.request.get(`${url}/v25.9.1/${chunk}`)
      expect(answer.status()).toBe(200)
      expect(answer.headers()['cache-control']).toContain('immutable')
      expect(readdirSync(assets)).toContain(own)
    })
  })
})
