import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

const files = readdirSync(new URL('src', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => `src/${file}`)
const holding = (pattern: RegExp) =>
  files.filter((file) => pattern.test(readFileSync(file, 'utf8')))

/**
 * Tests that replace a whole module need modules that have not been loaded before, so they load
 * Ant Design once more. Replacing one export with vi.spyOn needs no such thing.
 */
const alone = holding(/\bvi\.(doMock|mock|resetModules)\(/)
/** Tests of plain functions, marked as such. They run without a page, which is slow to set up. */
const plain = holding(/^\/\/ Needs no page\.$/m)

const page = {
  environment: 'happy-dom',
  environmentOptions: {
    happyDOM: {
      url: 'https://atrium.example/',
      // A click on a link must not replace the page of all later tests.
      settings: {
        navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true },
      },
    },
    jsdom: { url: 'https://atrium.example/' },
  },
  setupFiles: ['src/testing/setup.ts'],
}

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      // Queries by role are slow here, especially for a whole dialog or on a busy machine.
      testTimeout: 30_000,
      restoreMocks: true,
      unstubGlobals: true,
      // Loading Ant Design takes longer than most files' tests. setup.ts cleans up after each test.
      projects: [
        { extends: true, test: { name: 'plain', include: plain, isolate: false } },
        {
          extends: true,
          test: {
            ...page,
            name: 'together',
            include: ['src/**/*.test.{ts,tsx}'],
            exclude: [...alone, ...plain],
            isolate: false,
          },
        },
        { extends: true, test: { ...page, name: 'alone', include: alone } },
      ],
    },
  }),
)
