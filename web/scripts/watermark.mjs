/**
 * Measures what the watermark costs while a long page scrolls: `make watermark`. Pages with and
 * without it take turns, because machine speed varies.
 */
import { chromium } from '@playwright/test'
import { executablePath, personOf, startInstance } from './instance.mjs'

const ROUNDS = 7
const FRAMES = 240

const { url, demo, stop } = await startInstance(20_000)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
const middle = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

try {
  const taken = { with: [], without: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of Object.keys(taken)) taken[kind].push(await scroll(kind === 'with'))
  }
  for (const part of ['frame', 'busy']) {
    const [marked, plain] = ['with', 'without'].map((kind) =>
      middle(taken[kind].map((it) => it[part])),
    )
    const label = part === 'frame' ? 'between frames' : 'main thread busy'
    const ratio = (marked / plain).toFixed(2)
    console.log(
      `${label}: ${marked.toFixed(2)} ms with, ${plain.toFixed(2)} ms without, ratio ${ratio}`,
    )
  }
} finally {
  await browser.close()
  await stop()
}

async function scroll(marked) {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: 1440, height: 900 },
  })
  const { email } = personOf(demo, demo.teams[0])
  await context.request.post('/api/v1/login', { data: { email, password: demo.password } })
  const page = await context.newPage()
  await page.route('**/api/v1/envs', async (route) => {
    const answer = await route.fetch()
    const { data, ...rest } = await answer.json()
    await route.fulfill({
      response: answer,
      json: { ...rest, data: { ...data, watermark: marked } },
    })
  })
  await page.goto('/organization/config/member')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.addStyleTag({ content: 'main { padding-bottom: 20000px }' })
  const devtools = await context.newCDPSession(page)
  await devtools.send('Performance.enable')
  const busy = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1_000
  }
  const before = await busy()
  const frame = await page.evaluate(
    (frames) =>
      new Promise((done) => {
        const started = performance.now()
        let left = frames
        function next() {
          window.scrollBy(0, 20)
          left -= 1
          if (left > 0) requestAnimationFrame(next)
          else done((performance.now() - started) / frames)
        }
        requestAnimationFrame(next)
      }),
    FRAMES,
  )
  const spent = (await busy()) - before
  await context.close()
  return { frame, busy: spent / FRAMES }
}
