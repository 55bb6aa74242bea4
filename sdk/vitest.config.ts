import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'https://shop.example/start' } },
    include: ['test/**/*.test.ts'],
    // One page for all files: support.ts cleans up after every test, and creating a page takes a
    // second.
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
  },
})
