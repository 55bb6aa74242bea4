import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

/**
 * The system's browser where there is one, Playwright's own otherwise. The one without windows takes
 * a quarter less time.
 */
const systemBrowser = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
].find((path) => path && existsSync(path))

export default defineConfig({
  testDir: 'e2e',
  // More than there are cores, because a page often waits for its server and a test for its page.
  workers: 3,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  timeout: 45_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1280, height: 800 },
    // The settled picture is what is looked at and measured.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace of every test would cost a third of the time; TRACE=1 records them for a failure hunt.
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
