import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { pageFiles } from './pageFiles.ts'
import { routePreloads } from './routePreloads.ts'

// The server reads the same file: one constant decides where assets and language packs live.
const clientVersion = readFileSync(new URL('../client-version', import.meta.url), 'utf8').trim()

export default defineConfig({
  base: `/${clientVersion}/`,
  plugins: [react(), pageFiles(), routePreloads()],
  resolve: {
    alias: {
      'side-channel': fileURLToPath(new URL('shims/side-channel.cjs', import.meta.url)),
      // From its source, so that the console can be built before the SDK is.
      'atrium-analytics': fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url)),
    },
  },
  // The server puts a fresh nonce in this place on every response.
  html: { cspNonce: '__ATRIUM_NONCE__' },
  build: {
    target: 'es2022',
    // An inlined asset would be a data: address, which the content security policy refuses for scripts.
    assetsInlineLimit: 0,
    // scripts/precompress.mjs compresses for real, and a browser test weighs what arrives.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      treeshake: {
        // Ant Design's parts do nothing on import but do not say so. Left alone, a plain input
        // drags its whole form engine onto the sign-in page.
        moduleSideEffects: [{ test: /node_modules\/@rc-component\//, sideEffects: false }],
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
})
