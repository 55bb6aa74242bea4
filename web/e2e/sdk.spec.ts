/** A page on another site with the SDK: its events arrive exactly once, with every field. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test, type Page } from '@playwright/test'
import { queryEvents } from './engine'
import { createAccount, withDataFolder, withServer, type Account } from './server'

const ACCOUNT: Account = {
  email: 'sdk@example.com',
  name: 'SDK',
  organization: 'SDK',
  password: 'correct horse battery',
}

interface Keys {
  collect: string
  access: { id: string; secret: string }
}

/** Serves one page from an origin that isn't Atrium's. */
async function withSite(html: string, use: (url: string) => Promise<void>): Promise<void> {
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(html)
  })
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
  try {
    await use(`http://127.0.0.1:${(site.address() as AddressInfo).port}`)
  } finally {
    site.closeAllConnections()
    site.close()
  }
}

/** Signs in through the API and returns the first app's keys. */
async function keysOf(url: string, orgId: string): Promise<Keys> {
  const json = { 'content-type': 'application/json' }
  const login = await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email: ACCOUNT.email, password: ACCOUNT.password }),
  })
  const cookie = login.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const call = async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...json, cookie },
      body: body && JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    return ((await response.json()) as { data: T }).data
  }
  const apps = await call<{ items: { id: string }[] }>(`/orgs/${orgId}/apps`)
  const app = apps.items[0]?.id ?? ''
  const keys = await call<{ items: { kind: string; key: string }[] }>(`/apps/${app}/api-keys`)
  const collect = keys.items.find(({ kind }) => kind === 'collect')?.key ?? ''
  const access = await call<Keys['access']>(`/apps/${app}/access-keys`, { name: 'page' })
  return { collect, access }
}

/** Waits until the server has stored this many messages. */
async function expectStored(url: string, count: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const text = await (await fetch(`${url}/metrics`)).text()
        return Number(/^atrium_loaded_messages_total (\d+)/m.exec(text)?.[1] ?? 0)
      },
      { timeout: 20_000, intervals: [200] },
    )
    .toBe(count)
}

const nextCollect = (page: Page) =>
  page.waitForResponse((response) => response.url().includes('/v1/collect'))

test('a page view, a click, an event from offline and a signed change arrive once', async ({
  page,
  context,
}) => {
  test.slow()
  await withDataFolder(async (folder) => {
    const { org_id: orgId } = createAccount(folder, ACCOUNT)
    const sent: Record<string, unknown> = {}
    await withServer(folder, async ({ url }) => {
      const { collect, access } = await keysOf(url, orgId)
      const html = `<!doctype html><title>Shop</title>
        <button id="buy"> Buy now </button>
        <script src="${url}/sdk/atrium.js" data-app-key="${collect}"
          data-client-version="7.8.9"></script>
        <script type="module">
          import { createClient } from '${url}/sdk/atrium.mjs'
          window.signed = createClient({ url: '${url}', accessKeyId: '${access.id}',
            accessKeySecret: '${access.secret}', pageView: false, clicks: false })
        </script>`
      await withSite(html, async (site) => {
        await Promise.all([nextCollect(page), page.goto(`${site}/pricing?token=secret#part`)])
        sent.userAgent = await page.evaluate(() => navigator.userAgent)
        await page.evaluate(() => {
          const client = (window as never as { atrium: { setUserId(id: string): void } }).atrium
          client.setUserId('user-7')
        })
        await page.getByRole('button').click()
        await nextCollect(page)
        // Offline it waits, then sends by itself once back online.
        await context.setOffline(true)
        await page.evaluate(async () => {
          interface Tracking {
            track(event: string, properties: object): void
            flush(): Promise<void>
          }
          const { atrium } = window as never as { atrium: Tracking }
          atrium.track('order', { plan: '专业版', seats: 3 })
          // Resolves once the event is stored.
          await atrium.flush()
        })
        const [response] = await Promise.all([nextCollect(page), context.setOffline(false)])
        expect(response.status()).toBe(200)
        // Client-side navigation counts as a page view too.
        await Promise.all([
          nextCollect(page),
          page.evaluate(() => history.pushState(null, '', '/docs?x=1')),
        ])
        await page.evaluate(() => {
          interface Signed {
            setUserId(id: string): void
            userMutation(operation: string, properties: object): void
            flush(): Promise<void>
          }
          const { signed } = window as never as { signed: Signed }
          signed.setUserId('user-7')
          signed.userMutation('set', { level: 'gold' })
          void signed.flush()
        })
        await expectStored(url, 5)
        sent.site = site
      })
    })
    const events = await queryEvents(
      folder,
      'SELECT *, toUnixTimestamp64Milli(time) AS ms, properties AS text FROM events ORDER BY time',
    )
    expect(events.map(({ event }) => event)).toEqual([
      'page_view',
      'button_click',
      'order',
      'page_view',
    ])
    const properties = events.map(({ text }) => JSON.parse(text as string) as object)
    expect(properties).toEqual([
      { referrer: 'unknown' },
      { button_id: 'buy', button_label: 'Buy now' },
      { plan: '专业版', seats: expect.anything() as unknown },
      { referrer: `${sent.site as string}/pricing` },
    ])
    expect(events.map(({ url_path }) => url_path)).toEqual([
      '/pricing',
      '/pricing',
      '/pricing',
      '/docs',
    ])
    for (const event of events) {
      expect(event).toMatchObject({
        sdk_type: 'js',
        sdk_version: '0.2.4',
        timezone_offset: 8,
        language: 'zh-CN',
        device_type: 'PC',
        user_agent: sent.userAgent,
        client_version: '7.8.9',
        source: 'web',
      })
      expect(event.log_id).toMatch(/^[0-9a-f-]{36}$/)
      expect(event.device_id).toMatch(/^[0-9a-f-]{36}$/)
      expect(Math.abs(Date.now() - Number(event.ms))).toBeLessThan(120_000)
      for (const field of ['os', 'browser', 'browser_version']) expect(event[field]).toBeTruthy()
    }
    expect(new Set(events.map(({ device_id }) => device_id)).size).toBe(1)
    expect(events.map(({ user_id }) => user_id)).toEqual(['', 'user-7', 'user-7', 'user-7'])
    const profiles = await queryEvents(folder, 'SELECT kind, id, properties FROM profiles FINAL')
    expect(profiles).toEqual([{ kind: 'user', id: 'user-7', properties: '{"level":"gold"}' }])
  })
})

test('npm installs it from the server alone, with types, and a bundler takes it', async () => {
  test.setTimeout(120_000)
  await withDataFolder((folder) =>
    withServer(folder, async ({ url }) => {
      const { version } = JSON.parse(
        readFileSync(new URL('../../sdk/package.json', import.meta.url), 'utf8'),
      ) as { version: string }
      const tarball = `${url}/sdk/atrium-analytics-${version}.tgz`
      const answer = await fetch(tarball)
      expect(answer.headers.get('content-type')).toBe('application/gzip')
      expect((await fetch(`${url}/sdk/atrium-analytics-0.0.0.tgz`)).status).toBe(404)

      const project = join(folder, 'project')
      const lines = [
        "import { init, type Client } from 'atrium-analytics'",
        `const client: Client = init({ url: '${url}', appKey: 'ck_one' })`,
        "client.track('signup', { plan: 'pro' })",
        '// @ts-expect-error an event has a name',
        'client.track(42)',
      ]
      mkdirSync(project)
      writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
      writeFileSync(join(project, 'main.ts'), lines.join('\n'))
      const run = (command: string, ...words: string[]) =>
        promisify(execFile)(command, words, { cwd: project })

      // Nothing listens there, so asking a registry for anything would fail.
      const alone = ['--registry', 'http://127.0.0.1:9/', '--cache', join(folder, 'npm')]
      await run('npm', 'install', tarball, '--no-audit', '--no-fund', ...alone)
      const { dependencies } = JSON.parse(
        readFileSync(join(project, 'package.json'), 'utf8'),
      ) as Record<string, unknown>
      expect(dependencies).toEqual({ 'atrium-analytics': tarball })

      const compiler = fileURLToPath(
        new URL('bin/tsc', import.meta.resolve('typescript/package.json')),
      )
      const compilerOptions = {
        noEmit: true,
        strict: true,
        module: 'esnext',
        moduleResolution: 'bundler',
        lib: ['es2018', 'dom'],
        types: [],
      }
      const settings = JSON.stringify({ compilerOptions, files: ['main.ts'] })
      writeFileSync(join(project, 'tsconfig.json'), settings)
      const checked = await run('node', compiler).catch((refused: { stdout: string }) => refused)
      expect(checked.stdout).toBe('')

      // Imported lazily: it takes half a second to load.
      const { build } = await import('vite')
      await build({
        root: project,
        configFile: false,
        logLevel: 'error',
        build: { lib: { entry: 'main.ts', formats: ['es'], fileName: 'bundle' } },
      })
      const bundle = readFileSync(join(project, 'dist/bundle.js'), 'utf8')
      expect(bundle).toContain('/v1/collect')
      expect(bundle).not.toContain("from 'atrium-analytics'")
    }),
  )
})
