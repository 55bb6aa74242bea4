/**
 * WeChat Work as its developer documentation describes it: the sign-in page, the app's token, who a
 * code belongs to, their name, and messages from the app. None of this has been compared with the
 * real service. Every answer is HTTP 200; only `errcode` says whether a call succeeded.
 */
import { address, counter, isCallback, json, readJson, redirect, serve } from './control.mjs'
import { appToken, codes, isBusy } from './grants.mjs'
import { choice, refusal } from './page.mjs'

export const CORP = { id: 'ww-atrium', agent: '1000002', secret: 'wechat-secret' }

const PEOPLE = [
  { userid: 'LiLei', name: 'Li Lei', department: [1] },
  { userid: 'HanMeimei', name: 'Han Meimei', department: [1, 2] },
  // A member the app may not see.
  { userid: 'WangWei', name: 'Wang Wei', department: [3], hidden: true },
]
const CHOICES = [
  ['LiLei', 'Li Lei'],
  ['HanMeimei', 'Han Meimei'],
  ['WangWei', 'Wang Wei (out of the app’s sight)'],
  ['outsider', 'Outsider'],
  ['refuse', 'Refuse'],
]
const TEXTS = {
  '-1': 'system busy',
  40001: 'invalid credential',
  40008: 'invalid message type',
  40013: 'invalid corpid',
  40014: 'invalid access_token',
  40029: 'invalid code',
  40056: 'invalid agentid',
  41001: 'access_token missing',
  41008: 'missing code',
  42001: 'access_token expired',
  44004: 'text content is empty',
  60011: 'no privilege to access/modify contact/party/agent',
  60111: 'userid not found',
  81013: 'user & party & tag all invalid',
}

export async function startWechatWork({ port } = {}) {
  const asked = counter()
  const token = appToken(7200)
  const issued = codes()
  const state = { auto: null, busy: null, messages: [] }

  const calls = {
    'GET /cgi-bin/gettoken': ({ query }) => {
      if (query.get('corpid') !== CORP.id) return fail(40013)
      if (query.get('corpsecret') !== CORP.secret) return fail(40001)
      const { token: access_token, seconds } = token.get()
      return ok({ access_token, expires_in: seconds })
    },
    'GET /cgi-bin/auth/getuserinfo': withToken(({ query }) => {
      const code = query.get('code')
      if (!code) return fail(41008)
      const { as, problem } = issued.look(code)
      if (problem) return fail(40029)
      issued.use(code)
      if (as === 'outsider') return ok({ openid: 'o-outsider', external_userid: 'wm-outsider' })
      return ok({ userid: as })
    }),
    'GET /cgi-bin/user/get': withToken(({ query }) => {
      const person = find(query.get('userid') ?? '')
      if (!person) return fail(60111)
      if (person.hidden) return fail(60011)
      return ok({ ...person })
    }),
    'POST /cgi-bin/message/send': withToken(({ body }) => send(body)),
  }

  function withToken(call) {
    return (request) => {
      const given = request.query.get('access_token')
      const problem = given ? token.problem(given, 40014) : 41001
      return problem ? fail(problem) : call(request)
    }
  }

  function send({ touser = '', msgtype, agentid, text, enable_duplicate_check: once }) {
    if (String(agentid) !== CORP.agent) return fail(40056)
    if (msgtype !== 'text') return fail(40008)
    if (!text?.content) return fail(44004)
    const wanted = touser.split('|')
    const known = wanted.filter((userid) => find(userid) && !find(userid).hidden)
    if (!known.length) return fail(81013)
    for (const touser of known) {
      const message = { touser, content: text.content }
      const again = state.messages.some((sent) => JSON.stringify(sent) === JSON.stringify(message))
      if (!(once && again)) state.messages.push(message)
    }
    const invaliduser = wanted.filter((userid) => !known.includes(userid)).join('|')
    return ok({ invaliduser, msgid: `msg-${state.messages.length}` })
  }

  function login(query, chosen, response) {
    const state = query.get('state') ?? ''
    const wrong = [
      [query.get('login_type') === 'CorpApp', 'login_type is not CorpApp'],
      [query.get('appid') === CORP.id, 'appid is not known'],
      [query.get('agentid') === CORP.agent, 'agentid is not known'],
      [
        isCallback(query.get('redirect_uri'), 'wechatwork'),
        'redirect_uri is not of a trusted domain',
      ],
      [/^[a-zA-Z0-9]{0,128}$/.test(state), 'state is not alphanumeric or longer than 128 bytes'],
    ].find(([right]) => !right)
    if (wrong) return refusal(response, 'WeChat Work', wrong[1])
    if (!chosen) return choice(response, 'WeChat Work', query, CHOICES)
    const back = new URL(query.get('redirect_uri'))
    if (chosen !== 'refuse') back.searchParams.set('code', issued.issue({ as: chosen }))
    back.searchParams.set('state', state)
    redirect(response, back.href)
  }

  return serve({
    port,
    async answer(request, response) {
      const { pathname, searchParams: query } = address(request)
      if (pathname === '/wwlogin/sso/login') {
        asked.count('login')
        return login(query, query.get('as') ?? state.auto, response)
      }
      const call = `${request.method} ${pathname}`
      if (!Object.hasOwn(calls, call)) return json(response, 404, {})
      const name = pathname.split('/').at(-1)
      asked.count(name)
      const body = request.method === 'POST' ? await readJson(request) : {}
      if (isBusy(state.busy, name)) return json(response, 200, fail(state.busy.errcode))
      json(response, 200, calls[call]({ query, body }))
    },
    seen: () => ({ ...asked.counts, messages: state.messages }),
    readsFirst: true,
    reset() {
      asked.clear()
      Object.assign(state, { auto: null, busy: null, messages: [] })
    },
    switches: {
      auto: ({ userid }) => void (state.auto = userid ?? null),
      busy: ({ times, errcode = -1, call }) => void (state.busy = { times, errcode, call }),
      expire_tokens: ({ errcode = 42001 }) => token.end(errcode),
      expire_codes: () => issued.expire(),
    },
  })
}

/** User IDs are case-insensitive. */
function find(userid) {
  return PEOPLE.find((person) => person.userid.toLowerCase() === userid.toLowerCase())
}

function ok(more) {
  return { errcode: 0, errmsg: 'ok', ...more }
}

function fail(errcode) {
  return { errcode, errmsg: TEXTS[errcode] ?? 'error' }
}
