import { defineConfig } from 'vite'

// `vite build` makes the ES module, `vite build --mode script` the file for a script tag.
export default defineConfig(({ mode }) => {
  const forScriptTag = mode === 'script'
  return {
    build: {
      target: 'es2018',
      emptyOutDir: !forScriptTag,
      // npm run size weighs the result, and fails when it is too heavy.
      reportCompressedSize: false,
      lib: forScriptTag
        ? { entry: 'src/script.ts', formats: ['iife'], name: 'atrium', fileName: () => 'atrium.js' }
        : { entry: 'src/index.ts', formats: ['es'], fileName: () => 'atrium.mjs' },
      // Lib mode leaves the ES module's spaces in; browsers load it from the server as it is.
      rolldownOptions: { output: { minify: true } },
    },
  }
})
