import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { pageFiles } from './pageFiles.ts'
import { routePreloads } from './routePreloads.ts'

// The server reads the same file, so the location of assets and language packs is defined once.
const clientVersion = readFileSync(new URL('../client-version', import.meta.url), 'utf8').trim()

export default defineConfig({
  base: `/${clientVersion}/`,
  plugins: [react(), pageFiles(), routePreloads()],
  resolve: {
    alias: {
      'side-channel': fileURLToPath(new URL('shims/side-channel.cjs', import.meta.url)),
      // Built from its source, so that the console can be built before the SDK.
      'atrium-analytics': fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)),
    },
  },
  // The server replaces this with a fresh nonce in every response.
  html: { cspNonce: '__ATRIUM_NONCE__' },
  build: {
    target: 'es2022',
    // An inlined asset would be a data: URL, which the content security policy forbids for scripts.
    assetsInlineLimit: 0,
    // scripts/precompress.mjs does the compression, and a browser test checks the transferred size.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      treeshake: {
        // Ant Design's modules have no side effects but do not declare that. Without this, a plain
        // input pulls its whole form engine into the sign-in page.
        moduleSideEffects: [{ test: /node_modules\/@rc-component\//, sideEffects: false }],
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
})
