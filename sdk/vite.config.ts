import { defineConfig } from 'vite'

// `vite build` builds the ES module, `vite build --mode script` the file for script tags.
export default defineConfig(({ mode }) => {
  const forScriptTag = mode === 'script'
  return {
    build: {
      target: 'es2018',
      emptyOutDir: !forScriptTag,
      // `npm run size` checks the size instead.
      reportCompressedSize: false,
      lib: forScriptTag
        ? { entry: 'src/script.ts', formats: ['iife'], name: 'atrium', fileName: () => 'atrium.js' }
        : { entry: 'src/index.ts', formats: ['es'], fileName: () => 'atrium.mjs' },
      // Lib mode leaves whitespace in the ES module, and browsers load it straight from the server.
      rolldownOptions: { output: { minify: true } },
    },
  }
})
