/**
 * Runs Lighthouse with its desktop preset on the pages people see first, built and served by
 * Atrium: `make lighthouse`. Fails below the goals. Reports are left in
 * web/test-results/lighthouse.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { executablePath, personOf, root, startInstance } from './instance.mjs'

/**
 * The newest that supports this project's Node. Not a dependency, because only this script needs
 * it.
 */
const LIGHTHOUSE = 'lighthouse@12.8.2'
const GOALS = { performance: 95, accessibility: 100, 'best-practices': 100 }
const PAGES = [
  { name: 'login', path: '/login' },
  { name: 'organization-list', path: '/organization/list', signedIn: true },
]
const RUNS = 3

const execute = promisify(execFile)
const folder = join(root, 'web/test-results/lighthouse')
mkdirSync(folder, { recursive: true })
const instance = await startInstance(20_000)
let isShort = false
try {
  for (const page of PAGES) {
    const runs = []
    for (let run = 1; run <= RUNS; run += 1) runs.push(await scores(page, run))
    // The median, because whatever else the machine is doing isn't the page's fault.
    const line = Object.entries(GOALS).map(([category, goal]) => {
      const middle = runs.map((run) => run[category]).toSorted((a, b) => a - b)[RUNS >> 1]
      isShort ||= middle < goal
      return `${category} ${middle} (goal ${goal})`
    })
    console.log(`${page.path}: ${line.join(', ')}`)
  }
} finally {
  await instance.stop()
}
if (isShort) process.exitCode = 1

async function scores({ name, path, signedIn }, run) {
  const report = join(folder, `${name}-${run}`)
  const headers = signedIn ? { Cookie: await sessionCookie() } : {}
  await execute(
    'npx',
    [
      ['--yes', LIGHTHOUSE, `${instance.url}${path}`, '--quiet', '--preset=desktop'],
      ['--chrome-flags=--headless --no-sandbox', `--extra-headers=${JSON.stringify(headers)}`],
      [`--only-categories=${Object.keys(GOALS).join(',')}`],
      ['--output=json', '--output=html', `--output-path=${report}`],
    ].flat(),
    { env: { ...process.env, CHROME_PATH: executablePath }, timeout: 120_000 },
  )
  const { categories, finalDisplayedUrl } = JSON.parse(
    readFileSync(`${report}.report.json`, 'utf8'),
  )
  if (!finalDisplayedUrl.includes(path)) throw new Error(`ended at ${finalDisplayedUrl}`)
  return Object.fromEntries(
    Object.keys(GOALS).map((category) => [category, Math.round(categories[category].score * 100)]),
  )
}

async function sessionCookie() {
  const { email } = personOf(instance.demo, instance.demo.teams[0])
  const answer = await fetch(`${instance.url}/api/v1/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: instance.demo.password }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
