import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  ACCESS_KEY_PLACEHOLDER,
  curlOf,
  installOf,
  KEY_PLACEHOLDER,
  moduleSnippetOf,
  SECRET_PLACEHOLDER,
  signedCallOf,
  snippetOf,
} from './snippets'

const app = { endpoint: 'https://eu.example/', collect_key: 'ck_one' }

it('starts the module with the app’s own key, or says where it belongs', () => {
  expect(moduleSnippetOf(app)).toContain("url: 'https://eu.example',\n  appKey: 'ck_one'")
  expect(moduleSnippetOf({ ...app, collect_key: null })).toContain(KEY_PLACEHOLDER)
})

/** Runs the script with a fake curl that prints its arguments, each followed by a NUL. */
function printed(script: string): string[] {
  const curl = `curl() { printf '%s\\000' "$@"; }\n`
  return execFileSync('sh', ['-c', curl + script], { encoding: 'utf8' }).split('\0')
}

it('every snippet fills the version of the client', () => {
  expect(snippetOf(app)).toContain('data-client-version="1.0.0"')
  expect(moduleSnippetOf(app)).toContain("clientVersion: '1.0.0'")
})

it('sends an event by hand, another one each time', () => {
  const sent = [0, 1].map(() => {
    const words = printed(curlOf(app))
    expect(words[0]).toBe('https://eu.example/v1/collect')
    return JSON.parse(words[words.indexOf('-d') + 1]!) as {
      app_key: string
      messages: { type: string; data: { log_id: string; timestamp: number } }[]
    }
  })
  const [first, second] = sent.map(({ messages }) => messages[0]!.data)
  expect(sent[0]).toMatchObject({
    app_key: 'ck_one',
    messages: [{ type: 'Event', data: { event: 'signup', client_version: '1.0.0' } }],
  })
  expect(first!.log_id).toMatch(/^[0-9a-f]{32}$/)
  expect(first!.log_id).not.toBe(second!.log_id)
  expect(Math.abs(first!.timestamp - Date.now())).toBeLessThan(60_000)
})

it('installs the package from the server that this console is of', () => {
  const tarball = 'sdk/atrium-analytics-0.2.4.tgz'
  expect(installOf({ ...app, is_local: true })).toBe(`npm install https://eu.example/${tarball}`)
  expect(installOf({ ...app, is_local: false })).toBe(
    `npm install ${window.location.origin}/${tarball}`,
  )
})

describe('a signed call in the shell', () => {
  function run(script: string) {
    const [url, ...rest] = printed(script)
    const headers = rest.flatMap((word, index) => (word === '-H' ? [rest[index + 1]!] : []))
    return {
      url,
      headers: Object.fromEntries(headers.map((header) => header.split(': ') as [string, string])),
      body: rest[rest.indexOf('--data-binary') + 1]!,
    }
  }

  it('signs what it sends', () => {
    const before = Date.now() - 1_000
    const { url, headers, body } = run(
      signedCallOf(app, 'AKEXAMPLE').replace(SECRET_PLACEHOLDER, 's3cret/+='),
    )
    expect(url).toBe('https://eu.example/v1/collect')
    const { messages } = JSON.parse(body) as { messages: { type: string; data: object }[] }
    expect(messages).toEqual([
      {
        type: 'Event',
        data: {
          event: 'signup',
          log_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
          timestamp: Number(headers['X-Timestamp']),
          device_id: 'server-1',
          client_version: '1.0.0',
          properties: { plan: 'pro' },
        },
      },
    ])
    expect(headers['X-Nonce']).toMatch(/^\d{6}$/)
    expect(Number(headers['X-Timestamp'])).toBeGreaterThanOrEqual(before)
    const text = ['POST', '/v1/collect', 'AKEXAMPLE', headers['X-Nonce'], headers['X-Timestamp']]
    expect(headers).toMatchObject({
      'X-Access-Key-Id': 'AKEXAMPLE',
      'X-Signature': createHmac('sha256', 's3cret/+=')
        .update([...text, body].join('\n'))
        .digest('base64'),
    })
  })

  it('says where the id of a key belongs', () => {
    expect(signedCallOf(app, null)).toContain(`KEY_ID='${ACCESS_KEY_PLACEHOLDER}'`)
  })
})
