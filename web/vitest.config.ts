import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig, mergeConfig } from 'vitest/config'
import viteConfig from './vite.config.ts'

/** What puts something else in a module's place needs modules that nobody has loaded before. */
const alone = readdirSync(new URL('src', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => `src/${file}`)
  .filter((file) => /\bvi\.(doMock|mock|resetModules)\(/.test(readFileSync(file, 'utf8')))

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      environment: 'jsdom',
      environmentOptions: { jsdom: { url: 'https://atrium.example/' } },
      setupFiles: ['src/testing/setup.ts'],
      // Finding by role is slow in jsdom, and slower on a busy machine; a whole dialog takes a while.
      testTimeout: 30_000,
      restoreMocks: true,
      unstubGlobals: true,
      // Loading Ant Design takes longer than most files' tests. setup.ts undoes what a test leaves.
      projects: [
        {
          extends: true,
          test: {
            name: 'together',
            include: ['src/**/*.test.{ts,tsx}'],
            exclude: alone,
            isolate: false,
          },
        },
        { extends: true, test: { name: 'alone', include: alone } },
      ],
    },
  }),
)
