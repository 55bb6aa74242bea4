// Writes dist/index.d.ts: the whole public API in one file, and nothing else.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PARTS = ['types', 'uuid', 'client', 'index']

const folder = mkdtempSync(join(tmpdir(), 'atrium-declarations-'))
try {
  // The native compiler has no API for this. `npm run` puts the command on the path, and the types
  // themselves are checked by `npm run typecheck`.
  execFileSync(
    'tsc',
    [
      ...['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--noCheck'],
      ...['--rootDir', '.', '--outDir', folder],
    ],
    { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' },
  )
  const parts = PARTS.map((name) =>
    // Imports and re-exports between the source files: everything they name is already in this file.
    readFileSync(join(folder, 'src', `${name}.d.ts`), 'utf8').replace(
      /^(import|export) (.* from '.*'|\{.*\});\n/gm,
      '',
    ),
  )
  writeFileSync(new URL('../dist/index.d.ts', import.meta.url), parts.join(''))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
