import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  ACCESS_KEY_PLACEHOLDER,
  installOf,
  KEY_PLACEHOLDER,
  moduleSnippetOf,
  SECRET_PLACEHOLDER,
  signedCallOf,
} from './snippets'

const app = { endpoint: 'https://eu.example/', collect_key: 'ck_one' }

it('starts the module with the app’s own key, or says where it belongs', () => {
  expect(moduleSnippetOf(app)).toContain("url: 'https://eu.example',\n  appKey: 'ck_one'")
  expect(moduleSnippetOf({ ...app, collect_key: null })).toContain(KEY_PLACEHOLDER)
})

it('installs the package from the server that this console is of', () => {
  const tarball = 'sdk/atrium-analytics-0.2.4.tgz'
  expect(installOf({ ...app, is_local: true })).toBe(`npm install https://eu.example/${tarball}`)
  expect(installOf({ ...app, is_local: false })).toBe(
    `npm install ${window.location.origin}/${tarball}`,
  )
})

describe('a signed call in the shell', () => {
  /** Runs it with a curl that prints what it was told to send, one argument after a NUL. */
  function run(script: string) {
    const curl = `curl() { printf '%s\\000' "$@"; }\n`
    const printed = execFileSync('sh', ['-c', curl + script], { encoding: 'utf8' })
    const [url, ...rest] = printed.split('\0')
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
