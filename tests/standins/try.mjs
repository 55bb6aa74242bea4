/**
 * `make standins`: an Atrium with temporary data, wired to the stand-ins, for trying single sign-on,
 * WeChat Work and Feishu without the internet. Ctrl-C ends it and removes the data.
 */
import { randomBytes } from 'node:crypto'
import { newInstance } from '../../web/scripts/instance.mjs'
import { guide } from './guide.mjs'
import { APP } from './feishu.mjs'
import { CLIENT } from './oidc.mjs'
import { startStandins } from './start.mjs'
import { CORP } from './wechatwork.mjs'

const DOMAIN = 'acme.test'
const owner = { email: `owner@${DOMAIN}`, password: randomBytes(12).toString('base64url') }

const asked = new Promise((stop) => {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop(signal))
})

const { places, close } = await startStandins()
const instance = newInstance(settings(places))
let server
try {
  const { org_id } = createOwner()
  server = await instance.serve()
  await openSso(server.url, org_id)
  console.log(guide({ url: server.url, owner, places, domain: DOMAIN }))
  const unasked = server.ended.then(() => null)
  if (!(await Promise.race([asked, unasked]))) throw new Error('the server ended by itself')
} finally {
  await server?.stop()
  instance.remove()
  close()
}

function settings({ wechatwork, feishu, dns }) {
  return {
    ATRIUM_WECHATWORK_CORP_ID: CORP.id,
    ATRIUM_WECHATWORK_AGENT_ID: CORP.agent,
    ATRIUM_WECHATWORK_SECRET: CORP.secret,
    ATRIUM_WECHATWORK_LOGIN_URL: wechatwork,
    ATRIUM_WECHATWORK_API_URL: wechatwork,
    ATRIUM_FEISHU_APP_ID: APP.id,
    ATRIUM_FEISHU_APP_SECRET: APP.secret,
    ATRIUM_FEISHU_ACCOUNTS_URL: feishu,
    ATRIUM_FEISHU_API_URL: feishu,
    ATRIUM_SSO_INTERNAL_NETWORKS: 'true',
    ATRIUM_DNS_SERVER: dns,
  }
}

function createOwner() {
  const who = ['--email', owner.email, '--name', 'Olivia', '--organization', 'Acme']
  const words = ['admin', 'create-user', ...who, '--locale', 'en-US', '--password-stdin']
  return JSON.parse(instance.command(words, `${owner.password}\n`))
}

/** What an owner does in the team's settings; the operator vouches for the domain. */
async function openSso(url, org) {
  const signedIn = await call(`${url}/api/v1/login`, 'POST', owner)
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0])
  const sso = `${url}/api/v1/orgs/${org}/sso`
  await call(`${sso}/domains`, 'POST', { domain: DOMAIN }, cookie)
  instance.command(['admin', 'verify-domain', '--organization', org, '--domain', DOMAIN])
  const provider = { issuer: places.oidc, client_id: CLIENT.id, client_secret: CLIENT.secret }
  const rules = { default_role: 'member', enabled: true, enforced: false }
  await call(sso, 'PUT', { ...provider, ...rules }, cookie)
}

async function call(url, method, body, cookie = []) {
  const headers = { 'content-type': 'application/json', cookie: cookie.join('; ') }
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (response.ok) return response
  throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`)
}
