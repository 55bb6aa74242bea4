import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { after, before, test } from 'node:test'
import { get, post } from './browser.mjs'
import { startDns } from './dns.mjs'

const NAME = '_atrium-challenge.acme.test'

let dns
let resolver
before(async () => {
  dns = await startDns()
  resolver = ask({ timeout: 5000 })
})
after(() => dns.close())

function ask(options) {
  const asking = new Resolver({ tries: 1, ...options })
  asking.setServers([dns.address])
  return asking
}

const control = (name, body = {}) => post(`${dns.control}/_control/${name}`, body)

test('names have the texts that were set, however long, and no others', async () => {
  const long = 'x'.repeat(300)
  await control('txt', { name: NAME, values: ['atrium-verification=abc', long] })
  const found = await resolver.resolveTxt(NAME.toUpperCase())
  assert.deepEqual(
    found.map((pieces) => pieces.join('')),
    ['atrium-verification=abc', long],
  )
  await assert.rejects(resolver.resolveTxt('other.acme.test'), { code: 'ENOTFOUND' })
  await assert.rejects(resolver.resolve4(NAME), { code: 'ENODATA' })
  assert.equal((await get(`${dns.control}/_control/seen`))[NAME], 2)
  await control('txt', { name: NAME, values: [] })
  await assert.rejects(resolver.resolveTxt(NAME), { code: 'ENOTFOUND' })
})

test('a name server can fail or keep silent', async () => {
  await control('down', { down: true })
  await assert.rejects(resolver.resolveTxt(NAME), { code: 'ESERVFAIL' })
  await control('reset')
  await control('hang', { seconds: 1 })
  await assert.rejects(ask({ timeout: 200 }).resolveTxt(NAME), { code: 'ETIMEOUT' })
  await control('reset')
})
