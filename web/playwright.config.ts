import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

/**
 * The system's browser if there is one, otherwise Playwright's own. The headless build takes a quarter
 * less time.
 */
const systemBrowser = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find((path) => path && existsSync(path))

export default defineConfig({
  testDir: 'e2e',
  // More than the number of cores, because pages often wait for the server and tests for the page.
  workers: 3,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // See `long` in e2e/test.ts.
  grepInvert: process.env.LONG_TESTS ? undefined : /@long/,
  timeout: 45_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1280, height: 800 },
    // No animations: tests look at and measure the settled page.
    contextOptions: { reducedMotion: 'reduce' },
    // Tracing every test adds a third to the time; set TRACE=1 to record traces for debugging.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: systemBrowser,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
})
