/** Stand-ins for the sign-in providers' servers, and an Atrium connected to them. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, type Browser, type Page } from '@playwright/test'
import { createAccount, withDataFolder, withServer, type Account } from './server'
import { dataOf, signInAsOwner } from './team'
import { test as base, wordsOf, type Instance, type Language } from './test'

export interface Standins {
  oidc: string
  wechatwork: string
  feishu: string
  dns: string
  dns_control: string
}

interface ProviderFixtures {
  standins: Standins
  /** A server with both chat services and, in the owner's team, single sign-on for acme.test. */
  wired: Instance
}

/** Replaces the usual server with one connected to the stand-ins. */
export const test = base.extend<object, ProviderFixtures>({
  standins: [
    async ({}, use) => {
      const program = resolve(import.meta.dirname, '../../tests/standins/run.mjs')
      const child = spawn('node', [program], { stdio: ['pipe', 'pipe', 'inherit'] })
      const ended = new Promise((done) => child.once('exit', done))
      const lines = createInterface({ input: child.stdout })
      const line = await new Promise<string>((found, failed) => {
        lines.once('line', found)
        child.once('exit', (code) => failed(new Error(`the stand-ins ended with ${code}`)))
      })
      await use(JSON.parse(line) as Standins)
      // They exit when their input closes.
      child.stdin.end()
      await ended
    },
    { scope: 'worker' },
  ],

  wired: [
    async ({ standins }, use, worker) => {
      const account: Account = {
        email: `owner${worker.workerIndex}@example.com`,
        name: '欧文',
        organization: 'Acme',
        password: 'correct horse battery',
      }
      await withDataFolder(async (folder) => {
        const { org_id: orgId } = createAccount(folder, account)
        const flags = [
          ['--wechatwork-corp-id', 'ww-atrium', '--wechatwork-agent-id', '1000002'],
          ['--wechatwork-secret', 'wechat-secret'],
          ['--wechatwork-login-url', standins.wechatwork],
          ['--wechatwork-api-url', standins.wechatwork],
          ['--feishu-app-id', 'cli_atrium', '--feishu-app-secret', 'feishu-secret'],
          ['--feishu-accounts-url', standins.feishu, '--feishu-api-url', standins.feishu],
          ['--dns-server', standins.dns, '--sso-internal-networks', 'true'],
        ].flat()
        const serve = ({ url }: { url: string }) => use({ url, dataFolder: folder, account, orgId })
        await withServer(folder, serve, flags)
      })
    },
    { scope: 'worker' },
  ],

  instance: [async ({ wired }, use) => use(wired), { scope: 'worker' }],
})

export async function control(standin: string, switched: string, body: object): Promise<void> {
  const answer = await fetch(`${standin}/_control/${switched}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.ok, await answer.text()).toBe(true)
}

export async function seenBy<Seen>(standin: string): Promise<Seen> {
  return (await (await fetch(`${standin}/_control/seen`)).json()) as Seen
}

interface Domain {
  record_name: string
  record_value: string
}

/**
 * Sets up single sign-on with a verified domain through the API. `owner` is signed in as a team
 * owner.
 */
export async function setUpSso(
  owner: Page,
  { orgId }: Instance,
  standins: Standins,
  domain: string,
): Promise<void> {
  const sso = `/api/v1/orgs/${orgId}/sso`
  const { record_name: name, record_value: value } = await dataOf<Domain>(
    await owner.request.post(`${sso}/domains`, { data: { domain } }),
  )
  await control(standins.dns_control, 'txt', { name, values: [value] })
  await dataOf(await owner.request.post(`${sso}/domains/${domain}/verify`))
  await dataOf(
    await owner.request.put(sso, {
      data: {
        issuer: standins.oidc,
        client_id: 'atrium',
        client_secret: 'atrium-secret',
        default_role: 'member',
        enabled: true,
        enforced: false,
      },
    }),
  )
}

/** A team of this test's own that uses single sign-on, and its owner in another browser. */
export async function teamWithSso(
  browser: Browser,
  wired: Instance,
  standins: Standins,
  name: string,
) {
  const domain = ownDomain()
  const context = await browser.newContext({ baseURL: wired.url })
  const owner = await context.newPage()
  const own = await signInAsOwner(owner, wired, name)
  await setUpSso(owner, own, standins, domain)
  return { domain, owner, own, close: () => context.close() }
}

/** A domain of this test's own, because only one team can verify a domain. */
export const ownDomain = () => `${crypto.randomUUID().slice(0, 8)}.test`

/** From the sign-in page to the provider's, the way a person goes. */
export async function leaveBySso(page: Page, language: Language, email: string): Promise<void> {
  const t = wordsOf(language)
  const address = page.getByLabel(t('field.workEmail'), { exact: true })
  const button = page.getByRole('button', { name: t('provider.sso') })
  // Already open if it was the last method used.
  await expect(address.or(button).first()).toBeVisible()
  if (!(await address.isVisible())) await button.click()
  await address.fill(email)
  await page.getByRole('button', { name: t('sso.submit'), exact: true }).click()
}

/** On the provider's page, which already knows the address. */
export async function confirmAtProvider(page: Page, email: string): Promise<void> {
  await expect(page.getByLabel('Work address')).toHaveValue(email)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
