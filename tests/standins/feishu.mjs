/**
 * Feishu as its developer documentation describes it: the consent page, exchanging a code for a
 * token (v2), user info, the app's token, and messages from the app. None of this has been compared
 * with the real service. `code` says whether a call succeeded; the HTTP status varies.
 */
import { createHash, randomBytes } from 'node:crypto'
import { address, counter, isCallback, json, readJson, redirect, serve } from './control.mjs'
import { appToken, codes, isBusy } from './grants.mjs'
import { choice, refusal } from './page.mjs'

export const APP = { id: 'cli_atrium', secret: 'feishu-secret' }

const PEOPLE = {
  ou_lilei: { name: '李雷', en_name: 'Li Lei' },
  ou_hanmeimei: { name: '韩梅梅', en_name: 'Han Meimei' },
  // Outside the app's availability scope.
  ou_wangwei: { name: '王伟', en_name: 'Wang Wei', barred: true },
}
const CHOICES = [
  ['ou_lilei', 'Li Lei'],
  ['ou_hanmeimei', 'Han Meimei'],
  ['ou_wangwei', 'Wang Wei (may not use the app)'],
  ['refuse', 'Refuse'],
]
/** Code → HTTP status, error, description. */
const TOKEN_ERRORS = {
  20001: [400, 'invalid_request', 'The request is missing a required parameter.'],
  20002: [400, 'invalid_client', 'The client secret is invalid.'],
  20003: [400, 'invalid_grant', 'The authorization code is not found.'],
  20004: [400, 'invalid_grant', 'The authorization code has expired.'],
  20010: [400, 'access_denied', 'The user has no permission to use the app.'],
  20036: [400, 'unsupported_grant_type', 'The grant_type is not supported.'],
  20048: [400, 'invalid_client', 'The app does not exist.'],
  20049: [400, 'invalid_grant', 'PKCE code challenge failed.'],
  20050: [500, 'server_error', 'An unexpected server error occurred. Please retry.'],
  20065: [400, 'invalid_grant', 'The authorization code has been used.'],
  20071: [400, 'invalid_grant', 'The redirect_uri does not match.'],
  20072: [503, 'temporarily_unavailable', 'The server is temporarily unavailable. Please retry.'],
}

export async function startFeishu({ port } = {}) {
  const asked = counter()
  const tenantToken = appToken(7200)
  const issued = codes()
  const userTokens = new Map()
  const state = { auto: null, busy: null, messages: [] }

  const calls = {
    'POST /open-apis/authen/v2/oauth/token': ({ body }) => exchange(body),
    'GET /open-apis/authen/v1/user_info': ({ bearer }) => {
      if (!userTokens.has(bearer)) return [401, fail(99991668, 'Invalid access token')]
      return [200, ok({ data: profile(userTokens.get(bearer)) })]
    },
    'POST /open-apis/auth/v3/tenant_access_token/internal': ({ body }) => {
      // Failures of this call are HTTP 200.
      if (body.app_id !== APP.id) return [200, fail(10003, 'invalid param')]
      if (body.app_secret !== APP.secret) return [200, fail(10014, 'app secret invalid')]
      const { token, seconds } = tenantToken.get()
      return [200, ok({ tenant_access_token: token, expire: seconds })]
    },
    'POST /open-apis/im/v1/messages': ({ query, body, bearer }) => {
      const problem = tenantToken.problem(bearer, 99991663)
      if (problem) return [400, fail(problem, 'Invalid access token for authorization.')]
      return send(query.get('receive_id_type'), body)
    },
  }

  function exchange(body) {
    const { code, redirect_uri, code_verifier = '' } = body
    if (body.grant_type !== 'authorization_code') return tokenError(20036)
    if (!code) return tokenError(20001)
    if (body.client_id !== APP.id) return tokenError(20048)
    if (body.client_secret !== APP.secret) return tokenError(20002)
    const grant = issued.look(code)
    if (grant.problem)
      return tokenError({ unknown: 20003, used: 20065, expired: 20004 }[grant.problem])
    if (grant.redirect_uri !== redirect_uri) return tokenError(20071)
    if (grant.challenge !== s256(code_verifier)) return tokenError(20049)
    issued.use(code)
    if (PEOPLE[grant.as].barred) return tokenError(20010)
    const access_token = randomBytes(24).toString('hex')
    userTokens.set(access_token, grant.as)
    return [
      200,
      { code: 0, access_token, expires_in: 7200, token_type: 'Bearer', scope: grant.scope },
    ]
  }

  function send(kind, { receive_id, msg_type, content, uuid }) {
    const person = kind === 'open_id' && PEOPLE[receive_id]
    if (!person || msg_type !== 'text' || !isText(content)) {
      return [400, fail(230001, 'Your request contains an invalid request parameter.')]
    }
    if (person.barred) return [400, fail(230013, 'Bot has NO availability to this user.')]
    const earlier = uuid && state.messages.find((sent) => sent.uuid === uuid)
    const message = earlier || { id: `om_${state.messages.length + 1}`, receive_id, content, uuid }
    if (!earlier) state.messages.push(message)
    return [200, ok({ data: { message_id: message.id, msg_type } })]
  }

  function authorize(query, chosen, response) {
    const challenge = query.get('code_challenge') ?? ''
    const wrong = [
      [query.get('client_id') === APP.id, 'client_id is not known'],
      [query.get('response_type') === 'code', 'response_type is not code'],
      [isCallback(query.get('redirect_uri'), 'feishu'), 'redirect_uri is not registered'],
      // Feishu itself also accepts plain challenges or none at all; Atrium must send neither.
      [query.get('code_challenge_method') === 'S256', 'code_challenge_method is not S256'],
      [/^[\w-]{43}$/.test(challenge), 'code_challenge is not of a SHA-256'],
    ].find(([right]) => !right)
    if (wrong) return refusal(response, 'Feishu', wrong[1])
    if (!chosen) return choice(response, 'Feishu', query, CHOICES)
    const redirect_uri = query.get('redirect_uri')
    const scope = query.get('scope') ?? ''
    const back = new URL(redirect_uri)
    if (chosen === 'refuse') back.searchParams.set('error', 'access_denied')
    else back.searchParams.set('code', issued.issue({ as: chosen, redirect_uri, challenge, scope }))
    if (query.has('state')) back.searchParams.set('state', query.get('state'))
    redirect(response, back.href)
  }

  return serve({
    port,
    async answer(request, response) {
      const { pathname, searchParams: query } = address(request)
      if (pathname === '/open-apis/authen/v1/authorize') {
        asked.count('authorize')
        return authorize(query, query.get('as') ?? state.auto, response)
      }
      const call = `${request.method} ${pathname}`
      if (!Object.hasOwn(calls, call)) return json(response, 404, {})
      const name = pathname.replace('/internal', '').split('/').at(-1)
      asked.count(name)
      const body = request.method === 'POST' ? await readJson(request) : {}
      const bearer = (request.headers.authorization ?? '').replace(/^Bearer /, '')
      if (isBusy(state.busy, name)) return json(response, ...busyError(state.busy.code))
      json(response, ...calls[call]({ query, body, bearer }))
    },
    seen: () => ({ ...asked.counts, messages: state.messages }),
    readsFirst: true,
    reset() {
      asked.clear()
      Object.assign(state, { auto: null, busy: null, messages: [] })
    },
    switches: {
      auto: ({ open_id = null }) => {
        if (open_id && open_id !== 'refuse' && !PEOPLE[open_id])
          throw new Error(`${open_id} is unknown`)
        state.auto = open_id
      },
      busy: ({ times, code = 20072, call = 'token' }) => void (state.busy = { times, code, call }),
      expire_tokens: () => tenantToken.end(99991663),
      expire_codes: () => issued.expire(),
    },
  })
}

/**
 * This address is whatever the company entered, unverified. It must never be used to match
 * accounts.
 */
function profile(open_id) {
  const { name, en_name } = PEOPLE[open_id]
  return {
    name,
    en_name,
    open_id,
    union_id: open_id.replace('ou_', 'on_'),
    tenant_key: 'tenant_atrium',
    email: 'owner@acme.test',
    avatar_url: '',
  }
}

function s256(verifier) {
  return createHash('sha256').update(verifier).digest('base64url')
}

function isText(content) {
  try {
    return typeof JSON.parse(content).text === 'string'
  } catch {
    return false
  }
}

function ok(more) {
  return { code: 0, msg: 'ok', ...more }
}

function fail(code, msg) {
  return { code, msg }
}

function tokenError(code) {
  const [status, error, error_description] = TOKEN_ERRORS[code]
  return [status, { code, error, error_description }]
}

function busyError(code) {
  return TOKEN_ERRORS[code] ? tokenError(code) : [400, fail(code, 'error')]
}
