// Writes dist/index.d.ts: everything public in one file, and nothing that is not.
import { readFileSync, writeFileSync } from 'node:fs'
import ts from 'typescript'

const parts = ['types', 'uuid', 'client', 'index'].map((name) => {
  const source = readFileSync(new URL(`../src/${name}.ts`, import.meta.url), 'utf8')
  const { outputText } = ts.transpileDeclaration(source, { fileName: `${name}.ts` })
  // What the files import from one another, or export of one another, stands in this one.
  return outputText.replace(/^(import|export) (.* from '.*'|\{.*\});\n/gm, '')
})
writeFileSync(new URL('../dist/index.d.ts', import.meta.url), parts.join(''))
