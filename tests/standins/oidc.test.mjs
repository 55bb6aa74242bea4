import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, beforeEach, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { browser, get, post } from './browser.mjs'
import { FAULTS } from './faults.mjs'
import { CLIENT, startOidc } from './oidc.mjs'

const CALLBACK = 'http://127.0.0.1:8080/api/v1/sso/callback'

let oidc
before(async () => (oidc = await startOidc()))
beforeEach(() => control('reset'))
after(() => oidc.close())

const control = (name, body = {}) => post(`${oidc.url}/_control/${name}`, body)

function start(changes = {}) {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: CLIENT.id,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: CALLBACK,
    state: 'a1b2',
    nonce: 'n-1',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  })
  return { verifier, url: `${oidc.url}/auth?${query}` }
}

/** Enters the address and clicks the button, optionally in a browser that was used before. */
async function signIn(email, { visit } = browser()) {
  const { verifier, url } = start({ login_hint: email })
  const { html, url: at } = await visit(url)
  assert.ok(html.includes(`value="${email}"`), 'the address is filled in already')
  const form = { method: 'POST', body: new URLSearchParams({ email }) }
  const { url: back } = await visit(at, form)
  return { verifier, back, code: back.searchParams.get('code') }
}

async function exchange({ code, verifier }, { secret = CLIENT.secret, inBody = false } = {}) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    redirect_uri: CALLBACK,
    code,
    code_verifier: verifier,
  })
  const headers = {}
  if (inBody) {
    body.set('client_id', CLIENT.id)
    body.set('client_secret', secret)
  } else {
    headers.authorization = `Basic ${Buffer.from(`${CLIENT.id}:${secret}`).toString('base64')}`
  }
  const response = await fetch(`${oidc.url}/token`, { method: 'POST', headers, body })
  return { status: response.status, ...(await response.json()) }
}

const userinfo = ({ access_token }) =>
  get(`${oidc.url}/me`, { authorization: `Bearer ${access_token}` })

/** Verifies the way a careful client does. */
function verify(token) {
  const keys = createRemoteJWKSet(new URL(`${oidc.url}/jwks`))
  return jwtVerify(token, keys, { issuer: oidc.url, audience: CLIENT.id, algorithms: ['RS256'] })
}

test('discovery tells what a client needs', async () => {
  const found = await get(`${oidc.url}/.well-known/openid-configuration`)
  assert.equal(found.issuer, oidc.url)
  assert.equal(found.authorization_response_iss_parameter_supported, true)
  assert.deepEqual(found.id_token_signing_alg_values_supported, ['RS256'])
  assert.deepEqual(found.code_challenge_methods_supported, ['S256'])
})

test('somebody signs in', async () => {
  const came = await signIn('anna@acme.test')
  assert.equal(came.back.searchParams.get('state'), 'a1b2')
  assert.equal(came.back.searchParams.get('iss'), oidc.url)
  const tokens = await exchange(came)
  const { payload } = await verify(tokens.id_token)
  assert.equal(payload.nonce, 'n-1')
  assert.equal(payload.email, undefined)
  const { sub, ...about } = await userinfo(tokens)
  assert.equal(sub, payload.sub)
  assert.deepEqual(about, {
    status: 200,
    email: 'anna@acme.test',
    email_verified: true,
    name: 'Anna',
  })
})

test('one browser can be several people, each always the same', async () => {
  const one = browser()
  const subject = async (email) =>
    decodeJwt((await exchange(await signIn(email, one))).id_token).sub
  const anna = await subject('anna@acme.test')
  const ben = await subject('ben@acme.test')
  assert.notEqual(anna, ben)
  assert.equal(await subject('Anna@acme.test'), anna)
})

test('a client may send its secret in the body, but not a wrong one', async () => {
  const right = await exchange(await signIn('anna@acme.test'), { inBody: true })
  assert.equal(right.status, 200)
  const wrong = await exchange(await signIn('anna@acme.test'), { secret: 'guessed' })
  assert.equal(wrong.status, 401)
  assert.equal(wrong.error, 'invalid_client')
})

test('a code is good once, and only with its verifier', async () => {
  const came = await signIn('anna@acme.test')
  assert.equal((await exchange(came)).status, 200)
  assert.equal((await exchange(came)).error, 'invalid_grant')
  const other = await signIn('anna@acme.test')
  assert.equal((await exchange({ ...other, verifier: came.verifier })).error, 'invalid_grant')
  const madeUp = { code: 'made-up', verifier: came.verifier }
  assert.equal((await exchange(madeUp)).error, 'invalid_grant')
})

test('without PKCE, or toward a foreign address, nobody gets anywhere', async () => {
  const without = await browser().visit(
    start({ code_challenge: '', code_challenge_method: '' }).url,
  )
  assert.equal(without.url.searchParams.get('error'), 'invalid_request')
  for (const redirect_uri of [
    'http://127.0.0.1:1/elsewhere',
    'https://evil.example/api/v1/sso/callback',
  ]) {
    const { response } = await browser().visit(start({ redirect_uri }).url)
    assert.equal(response.status, 400)
  }
})

test('somebody refuses', async () => {
  const { visit } = browser()
  const { html } = await visit(start().url)
  const [, cancel] = /href="([^"]+)">Cancel</.exec(html)
  const { url } = await visit(oidc.url + cancel)
  assert.equal(url.searchParams.get('error'), 'access_denied')
  assert.equal(url.searchParams.get('state'), 'a1b2')
})

const claimFaults = {
  expired: (claims) => assert.ok(claims.exp < Date.now() / 1000 - 3000),
  wrongnonce: (claims) => assert.notEqual(claims.nonce, 'n-1'),
  wrongissuer: (claims) => assert.notEqual(claims.iss, oidc.url),
  wrongaudience: (claims) => assert.notEqual(claims.aud, CLIENT.id),
  azp: (claims) => assert.equal(claims.azp, 'another-client'),
}
const otherFaults = {
  unsigned: async ({ tokens }) => {
    assert.equal(decodeProtectedHeader(tokens.id_token).alg, 'none')
    assert.ok(tokens.id_token.endsWith('.'))
  },
  badsig: async ({ tokens }) => {
    const { keys } = await get(`${oidc.url}/jwks`)
    assert.equal(decodeProtectedHeader(tokens.id_token).kid, keys[0].kid)
    await assert.rejects(verify(tokens.id_token), { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' })
  },
  wrongiss: async ({ came, tokens }) => {
    assert.notEqual(came.back.searchParams.get('iss'), oidc.url)
    await verify(tokens.id_token)
  },
  unverified: async ({ tokens }) => assert.equal((await userinfo(tokens)).email_verified, false),
  noemail: async ({ tokens }) => {
    const about = await userinfo(tokens)
    assert.ok(!('email' in about) && !('email_verified' in about))
  },
  replay: async ({ tokens }) => {
    assert.equal(tokens.status, 400)
    assert.equal(tokens.error, 'invalid_grant')
  },
}

test('every fault is looked at here, and described', () => {
  const looked = Object.keys({ ...claimFaults, ...otherFaults })
  assert.deepEqual(looked.sort(), Object.keys(FAULTS).sort())
  const described = readFileSync(new URL('../../docs/standins.md', import.meta.url), 'utf8')
  for (const fault of looked) assert.ok(described.includes(`anna+${fault}@acme.test`), fault)
})

for (const fault of Object.keys(FAULTS)) {
  test(`+${fault}: ${FAULTS[fault]}`, async () => {
    const came = await signIn(`anna+${fault}@acme.test`)
    const tokens = await exchange(came)
    if (!(fault in claimFaults)) return otherFaults[fault]({ came, tokens })
    claimFaults[fault](decodeJwt(tokens.id_token))
    // The signature is valid, so only the claim can cause the rejection.
    const keys = createRemoteJWKSet(new URL(`${oidc.url}/jwks`))
    await jwtVerify(tokens.id_token, keys, { currentDate: new Date(0) })
  })
}

test('new keys replace the old; a code of before is still good', async () => {
  const old = await exchange(await signIn('anna@acme.test'))
  const waiting = await signIn('anna@acme.test')
  const { kid } = await control('rotate')
  const { keys } = await get(`${oidc.url}/jwks`)
  assert.deepEqual(
    keys.map((key) => key.kid),
    [kid],
  )
  await assert.rejects(verify(old.id_token), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  await verify((await exchange(waiting)).id_token)
  await verify((await exchange(await signIn('anna@acme.test'))).id_token)
})

test('switches: no page, a new name, the address in the ID token', async () => {
  await control('auto', { email: 'ben@acme.test' })
  await control('name', { email: 'ben@acme.test', name: 'Benjamin' })
  await control('email_in_id_token', { on: true })
  const { url, verifier } = start()
  const back = (await browser().visit(url)).url
  const tokens = await exchange({ code: back.searchParams.get('code'), verifier })
  const claims = decodeJwt(tokens.id_token)
  assert.equal(claims.email, 'ben@acme.test')
  assert.equal(claims.email_verified, true)
  assert.equal((await userinfo(tokens)).name, 'Benjamin')

  await control('auto', { email: 'login_hint' })
  const hinted = start({ login_hint: 'carl@acme.test' })
  const code = (await browser().visit(hinted.url)).url.searchParams.get('code')
  const { id_token } = await exchange({ code, verifier: hinted.verifier })
  assert.equal(decodeJwt(id_token).email, 'carl@acme.test')

  await control('auto', { email: 'refuse' })
  assert.equal((await browser().visit(start().url)).url.searchParams.get('error'), 'access_denied')
})

test('it can be down, or slow, and counts what it was asked', async () => {
  const discovery = `${oidc.url}/.well-known/openid-configuration`
  await control('down', { down: true })
  assert.equal((await fetch(discovery)).status, 503)
  await control('down', { down: false })
  await control('hang', { seconds: 0.3 })
  const began = Date.now()
  assert.equal((await fetch(discovery)).status, 200)
  assert.ok(Date.now() - began >= 290)
  assert.equal((await get(`${oidc.url}/_control/seen`)).discovery, 1)
})
