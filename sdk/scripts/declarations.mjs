// Writes dist/index.d.ts: the whole public API in one file, and nothing else.
import { readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'

const parts = ['types', 'uuid', 'client', 'index'].map((name) => {
  const source = readFileSync(new URL(`../src/${name}.ts`, import.meta.url), 'utf8')
  const { outputText } = ts.transpileDeclaration(source, { fileName: `${name}.ts` })
  // Imports and re-exports between the source files: everything they name is already in this file.
  return outputText.replace(/^(import|export) (.* from '.*'|\{.*\});\n/gm, '')
})
writeFileSync(new URL('../dist/index.d.ts', import.meta.url), parts.join(''))
