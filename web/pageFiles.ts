/**
 * Decides which modules share a file. By default, the build makes a file of every set of modules that
 * the same pages use. For a page with a table that is seventy files, and the browser then waits for
 * requests rather than bytes. Only a build knows what a page really needs of a large library, so a
 * first build runs to find out, and its output is thrown away.
 */
import { fileURLToPath } from 'node:url'
import { build, type Plugin, type Rolldown } from 'vite'

const LOGIN = /\/src\/pages\/login\/LoginPage\.tsx$/
const FRAME = /\/src\/layouts\/ShellLayout\.tsx$/
/** A page with a table, like most pages. */
const TABLE = /\/src\/pages\/organization\/list\/OrgListPage\.tsx$/
/** The component library's texts. Every page loads them, so they must not pull in a table. */
const WORDS = /\/locale\//

export function pageFiles(): Plugin {
  const fileOf = new Map<string, string>()
  return {
    name: 'atrium:page-files',
    // Not for the development server, the tests, or the first build itself.
    apply: (_, { command }) => command === 'build' && process.env.ATRIUM_FIRST_BUILD === undefined,
    async config() {
      process.env.ATRIUM_FIRST_BUILD = '1'
      try {
        const answer = await build({
          configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)),
          logLevel: 'silent',
          build: { write: false, minify: false, cssMinify: false },
        })
        for (const [id, file] of share((answer as Rolldown.RolldownOutput).output)) {
          fileOf.set(id, file)
        }
      } finally {
        delete process.env.ATRIUM_FIRST_BUILD
      }
      const groups = [{ name: (id: string) => fileOf.get(id) ?? null }]
      const codeSplitting = { includeDependenciesRecursively: false, groups }
      return { build: { rolldownOptions: { output: { codeSplitting } } } }
    },
  }
}

/** The file of each module that shares one. */
function share(output: Rolldown.RolldownOutput['output']): Map<string, string> {
  const chunks = output.filter((file) => file.type === 'chunk')
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  /** What a page needs immediately: its own file and everything it imports statically. */
  const needed = (wanted: (chunk: Rolldown.OutputChunk) => boolean) => {
    const seen = new Set<Rolldown.OutputChunk>()
    const waiting = chunks.filter(wanted)
    for (let chunk = waiting.pop(); chunk; chunk = waiting.pop()) {
      if (seen.has(chunk)) continue
      seen.add(chunk)
      waiting.push(...chunk.imports.flatMap((name) => byName.get(name) ?? []))
    }
    return seen
  }
  const of = (page: RegExp) => needed(({ facadeModuleId }) => page.test(facadeModuleId ?? ''))
  const start = needed(({ isEntry }) => isEntry)
  const login = of(LOGIN)
  const frame = of(FRAME)
  const table = of(TABLE)
  const words = of(WORDS)
  const fileFor = (chunk: Rolldown.OutputChunk): string | null => {
    // Each page has its own file.
    if (chunk.isDynamicEntry || chunk.isEntry) return null
    if (start.has(chunk)) return 'start'
    if (words.has(chunk)) return null
    if (login.has(chunk)) return frame.has(chunk) || table.has(chunk) ? 'common' : 'login'
    if (frame.has(chunk)) return 'frame'
    return table.has(chunk) ? 'table' : null
  }
  const files = new Map<string, string>()
  for (const chunk of chunks) {
    const file = fileFor(chunk)
    if (file) for (const id of chunk.moduleIds) files.set(id, file)
  }
  return files
}
