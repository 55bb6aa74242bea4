import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { browser, get, post } from './browser.mjs'
import { CORP, startWechatWork } from './wechatwork.mjs'

const CALLBACK = 'http://127.0.0.1:8080/api/v1/wechatwork/callback'

let wechat
before(async () => (wechat = await startWechatWork()))
beforeEach(() => control('reset'))
after(() => wechat.close())

const control = (name, body = {}) => post(`${wechat.url}/_control/${name}`, body)
const seen = () => get(`${wechat.url}/_control/seen`)
const call = (path, query) => get(`${wechat.url}/cgi-bin/${path}?${new URLSearchParams(query)}`)
const getToken = () => call('gettoken', { corpid: CORP.id, corpsecret: CORP.secret })

function login(changes = {}) {
  const query = { login_type: 'CorpApp', appid: CORP.id, agentid: CORP.agent, lang: 'zh' }
  const more = { redirect_uri: CALLBACK, state: 'a1b2', ...changes }
  return `${wechat.url}/wwlogin/sso/login?${new URLSearchParams({ ...query, ...more })}`
}

/** Opens the page and clicks the button. */
async function press(name) {
  const { visit } = browser()
  const { html } = await visit(login())
  const [, action] = new RegExp(`action="([^"]+)"><button>${name}<`).exec(html)
  const href = action.replaceAll('&#38;', '&')
  const { url } = await visit(new URL(href, login()).href, { method: 'POST' })
  return url.searchParams
}

async function who(code) {
  const { access_token } = await getToken()
  return call('auth/getuserinfo', { access_token, code })
}

async function send(message = {}) {
  const { access_token } = await getToken()
  const all = { touser: 'LiLei', msgtype: 'text', agentid: 1000002, text: { content: 'hello' } }
  const url = `${wechat.url}/cgi-bin/message/send?access_token=${access_token}`
  return post(url, { ...all, ...message })
}

test('a member signs in and is known by name', async () => {
  const back = await press('Li Lei')
  assert.equal(back.get('state'), 'a1b2')
  assert.equal((await who(back.get('code'))).userid, 'LiLei')
  const { access_token } = await getToken()
  const person = await call('user/get', { access_token, userid: 'lilei' })
  assert.equal(person.errcode, 0)
  assert.equal(person.name, 'Li Lei')
  assert.equal(person.email, undefined)
})

test('a code is good once, and not for long', async () => {
  const code = (await press('Han Meimei')).get('code')
  assert.equal((await who(code)).errcode, 0)
  assert.equal((await who(code)).errcode, 40029)
  const late = (await press('Han Meimei')).get('code')
  await control('expire_codes')
  assert.equal((await who(late)).errcode, 40029)
  assert.equal((await who('made-up')).errcode, 40029)
  assert.equal((await who('')).errcode, 41008)
})

test('an outsider has no userid; who refuses brings the state alone', async () => {
  const outsider = await who((await press('Outsider')).get('code'))
  assert.equal(outsider.userid, undefined)
  assert.ok(outsider.openid && outsider.external_userid)
  assert.deepEqual([...(await press('Refuse'))], [['state', 'a1b2']])
})

test('a test chooses without the page, and the spelling too', async () => {
  await control('auto', { userid: 'LILEI' })
  const { url } = await browser().visit(login())
  assert.equal((await who(url.searchParams.get('code'))).userid, 'LILEI')
})

test('the page wants what the documentation asks for', async () => {
  const wrong = {
    login_type: 'ServiceApp',
    appid: 'ww-other',
    agentid: '7',
    redirect_uri: 'https://evil.example/api/v1/wechatwork/callback',
    state: 'not-alphanumeric!',
  }
  for (const [name, value] of Object.entries(wrong)) {
    assert.equal((await fetch(login({ [name]: value }))).status, 400, name)
  }
})

test('the token stays the same until it ends', async () => {
  const first = await getToken()
  assert.ok(first.expires_in > 0 && first.expires_in <= 7200)
  assert.equal((await getToken()).access_token, first.access_token)
  const use = (access_token) => call('user/get', { access_token, userid: 'LiLei' })
  assert.equal((await use(first.access_token)).errcode, 0)
  await control('expire_tokens')
  assert.equal((await use(first.access_token)).errcode, 42001)
  const second = await getToken()
  await control('expire_tokens', { errcode: 40014 })
  assert.equal((await use(second.access_token)).errcode, 40014)
  assert.equal((await use('made-up')).errcode, 40014)
  assert.equal((await use('')).errcode, 41001)
  assert.equal((await seen()).gettoken, 3)
})

test('a wrong company, a wrong secret, too busy', async () => {
  assert.equal((await call('gettoken', { corpid: 'ww-other' })).errcode, 40013)
  const wrong = { corpid: CORP.id, corpsecret: 'guessed' }
  assert.equal((await call('gettoken', wrong)).errcode, 40001)
  await control('busy', { times: 2 })
  const answers = [await getToken(), await getToken(), await getToken()]
  assert.deepEqual(
    answers.map(({ errcode }) => errcode),
    [-1, -1, 0],
  )
  await control('busy', { times: 1, errcode: 45009, call: 'send' })
  assert.equal((await send()).errcode, 45009)
  assert.equal((await send()).errcode, 0)
})

test('names that are not there, or not to be seen', async () => {
  const { access_token } = await getToken()
  assert.equal((await call('user/get', { access_token, userid: 'nobody' })).errcode, 60111)
  assert.equal((await call('user/get', { access_token, userid: 'WangWei' })).errcode, 60011)
})

test('messages arrive, once where that was asked for', async () => {
  const once = { enable_duplicate_check: 1 }
  assert.equal((await send(once)).errcode, 0)
  assert.equal((await send(once)).errcode, 0)
  const half = await send({ touser: 'HanMeimei|nobody' })
  assert.equal(half.errcode, 0)
  assert.equal(half.invaliduser, 'nobody')
  assert.deepEqual((await seen()).messages, [
    { touser: 'LiLei', content: 'hello' },
    { touser: 'HanMeimei', content: 'hello' },
  ])
})

test('messages that cannot be sent', async () => {
  assert.equal((await send({ touser: 'nobody' })).errcode, 81013)
  assert.equal((await send({ agentid: 7 })).errcode, 40056)
  assert.equal((await send({ msgtype: 'smoke' })).errcode, 40008)
  assert.equal((await send({ text: {} })).errcode, 44004)
  assert.deepEqual((await seen()).messages, [])
})
