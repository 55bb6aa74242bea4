import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

const files = readdirSync(new URL('src', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => `src/${file}`)
const holding = (pattern: RegExp) =>
  files.filter((file) => pattern.test(readFileSync(file, 'utf8')))

/** What puts something else in a module's place needs modules that nobody has loaded before. */
const alone = holding(/\bvi\.(doMock|mock|resetModules)\(/)
/** Plain functions need no page, which takes longer to make than they do to test: files that say so. */
const plain = holding(/^\/\/ Needs no page\.$/m)

const page = {
  environment: 'jsdom',
  environmentOptions: { jsdom: { url: 'https://atrium.example/' } },
  setupFiles: ['src/testing/setup.ts'],
}

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      // Finding by role is slow in jsdom, and slower on a busy machine; a whole dialog takes a while.
      testTimeout: 30_000,
      restoreMocks: true,
      unstubGlobals: true,
      // Loading Ant Design takes longer than most files' tests. setup.ts undoes what a test leaves.
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
