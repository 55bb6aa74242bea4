import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { browser, get, post } from './browser.mjs'
import { APP, startFeishu } from './feishu.mjs'

const CALLBACK = 'http://127.0.0.1:8080/api/v1/feishu/callback'
const VERIFIER = randomBytes(32).toString('base64url')
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

let feishu
before(async () => (feishu = await startFeishu()))
beforeEach(() => control('reset'))
after(() => feishu.close())

const control = (name, body = {}) => post(`${feishu.url}/_control/${name}`, body)
const seen = () => get(`${feishu.url}/_control/seen`)

function authorize(changes = {}) {
  const query = {
    client_id: APP.id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 'a1b2',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  }
  return `${feishu.url}/open-apis/authen/v1/authorize?${new URLSearchParams(query)}`
}

/** Opens the page and clicks the button. */
async function press(name) {
  const { visit } = browser()
  const { html } = await visit(authorize())
  const [, action] = new RegExp(`action="([^"]+)"><button>${name}`).exec(html)
  const href = action.replaceAll('&#38;', '&')
  const { url } = await visit(new URL(href, authorize()).href, { method: 'POST' })
  return url.searchParams
}

function exchange(code, changes = {}) {
  return post(`${feishu.url}/open-apis/authen/v2/oauth/token`, {
    grant_type: 'authorization_code',
    client_id: APP.id,
    client_secret: APP.secret,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    code,
    ...changes,
  })
}

const codeOf = async (name) => (await press(name)).get('code')

const appToken = (app_id = APP.id, app_secret = APP.secret) =>
  post(`${feishu.url}/open-apis/auth/v3/tenant_access_token/internal`, { app_id, app_secret })

function send(token, changes = {}, kind = 'open_id') {
  const content = JSON.stringify({ text: 'hello' })
  return post(
    `${feishu.url}/open-apis/im/v1/messages?receive_id_type=${kind}`,
    { receive_id: 'ou_lilei', msg_type: 'text', content, ...changes },
    { authorization: `Bearer ${token}` },
  )
}

test('somebody consents and is known', async () => {
  const back = await press('Li Lei')
  assert.equal(back.get('state'), 'a1b2')
  const { code, access_token } = await exchange(back.get('code'))
  assert.equal(code, 0)
  const about = `${feishu.url}/open-apis/authen/v1/user_info`
  const { data } = await get(about, { authorization: `Bearer ${access_token}` })
  assert.equal(data.open_id, 'ou_lilei')
  assert.equal(data.union_id, 'on_lilei')
  assert.equal(data.tenant_key, 'tenant_atrium')
  assert.equal(data.en_name, 'Li Lei')
  const stranger = await get(about, { authorization: 'Bearer made-up' })
  assert.equal(stranger.code, 99991668)
})

test('somebody refuses', async () => {
  const back = await press('Refuse')
  assert.equal(back.get('error'), 'access_denied')
  assert.equal(back.get('state'), 'a1b2')
  assert.equal(back.get('code'), null)
})

test('a test chooses without the page', async () => {
  await control('auto', { open_id: 'ou_hanmeimei' })
  const { url } = await browser().visit(authorize())
  assert.equal((await exchange(url.searchParams.get('code'))).code, 0)
  assert.equal((await control('auto', { open_id: 'ou_nobody' })).status, 400)
})

test('the page wants PKCE with S256, and a redirect that it knows', async () => {
  const wrong = {
    client_id: 'cli_other',
    response_type: 'token',
    redirect_uri: 'https://evil.example/api/v1/feishu/callback',
    code_challenge: VERIFIER.slice(1),
    code_challenge_method: 'plain',
  }
  for (const [name, value] of Object.entries(wrong)) {
    assert.equal((await fetch(authorize({ [name]: value }))).status, 400, name)
  }
})

test('a code is good once, and not for long', async () => {
  const code = await codeOf('Li Lei')
  assert.equal((await exchange(code)).code, 0)
  assert.equal((await exchange(code)).code, 20065)
  assert.equal((await exchange('made-up')).code, 20003)
  const late = await codeOf('Li Lei')
  await control('expire_codes')
  assert.equal((await exchange(late)).code, 20004)
})

test('errors of the token call', async () => {
  const code = await codeOf('Li Lei')
  const refused = async (changes) => (await exchange(code, changes)).code
  assert.equal(await refused({ code_verifier: 'another' }), 20049)
  assert.equal(await refused({ code_verifier: undefined }), 20049)
  assert.equal(await refused({ redirect_uri: `${CALLBACK}/` }), 20071)
  assert.equal(await refused({ client_secret: 'guessed' }), 20002)
  assert.equal(await refused({ client_id: 'cli_other' }), 20048)
  assert.equal(await refused({ grant_type: 'password' }), 20036)
  assert.equal(await refused({ code: undefined }), 20001)
  assert.equal((await exchange(await codeOf('Wang Wei'))).code, 20010)
})

test('errors that may be tried again, with the same code', async () => {
  const code = await codeOf('Li Lei')
  await control('busy', { times: 1 })
  const first = await exchange(code)
  assert.deepEqual([first.status, first.code], [503, 20072])
  await control('busy', { times: 1, code: 20050 })
  const second = await exchange(code)
  assert.deepEqual([second.status, second.code], [500, 20050])
  assert.equal((await exchange(code)).code, 0)
  assert.equal((await seen()).token, 3)

  const { tenant_access_token: token } = await appToken()
  await control('busy', { times: 1, code: 230020, call: 'messages' })
  assert.equal((await send(token)).code, 230020)
  assert.equal((await send(token)).code, 0)
})

test('the app gets its token, and fails with HTTP 200', async () => {
  const first = await appToken()
  assert.equal(first.code, 0)
  assert.ok(first.expire <= 7200)
  assert.equal((await appToken()).tenant_access_token, first.tenant_access_token)
  const wrong = await appToken(APP.id, 'guessed')
  assert.deepEqual([wrong.status, wrong.code], [200, 10014])
  assert.equal((await appToken('cli_other')).code, 10003)
  assert.equal((await seen()).tenant_access_token, 4)
})

test('messages arrive, once for the same uuid', async () => {
  const { tenant_access_token: token } = await appToken()
  const first = await send(token, { uuid: 'u-1' })
  assert.equal(first.code, 0)
  assert.equal((await send(token, { uuid: 'u-1' })).data.message_id, first.data.message_id)
  const { messages } = await seen()
  assert.equal(messages.length, 1)
  assert.equal(messages[0].receive_id, 'ou_lilei')
  assert.equal(JSON.parse(messages[0].content).text, 'hello')
})

test('messages that cannot be sent', async () => {
  const { tenant_access_token: token } = await appToken()
  assert.equal((await send('made-up')).code, 99991663)
  assert.equal((await send(token, { content: 'not JSON' })).code, 230001)
  assert.equal((await send(token, { receive_id: 'ou_nobody' })).code, 230001)
  assert.equal((await send(token, {}, 'email')).code, 230001)
  assert.equal((await send(token, { receive_id: 'ou_wangwei' })).code, 230013)
  await control('expire_tokens')
  assert.equal((await send(token)).code, 99991663)
  assert.deepEqual((await seen()).messages, [])
})
