import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { get } from './browser.mjs'

async function run(...flags) {
  const child = spawn(process.execPath, [`${import.meta.dirname}/run.mjs`, ...flags])
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, places: JSON.parse(line) }
}

test('all start by one command and end with its standard input', async () => {
  const { child, places } = await run()
  assert.deepEqual(Object.keys(places), ['oidc', 'wechatwork', 'feishu', 'dns', 'dns_control'])
  assert.match(places.dns, /^127\.0\.0\.1:\d+$/)
  for (const name of ['oidc', 'wechatwork', 'feishu', 'dns_control']) {
    assert.equal((await get(`${places[name]}/_control/seen`)).status, 200)
  }
  child.stdin.end()
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('some start alone, and end with SIGTERM', async () => {
  const { child, places } = await run('--only', 'feishu')
  assert.deepEqual(Object.keys(places), ['feishu'])
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})
