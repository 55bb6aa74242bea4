/**
 * Preloads the code of the pages that people open first together with index.html, instead of after the
 * entry has run and looked at the address. The build knows the names of the files and writes them into
 * index.html.
 */
import type { Plugin } from 'vite'

/** Address prefixes, longest first, and the modules they need. */
const PAGES: [beginning: string, modules: string[]][] = [
  ['/login', ['pages/login/LoginPage.tsx']],
  ['/organization/list', ['layouts/ShellLayout.tsx', 'pages/organization/list/OrgListPage.tsx']],
  ['/organization/config', ['layouts/ShellLayout.tsx', 'layouts/TeamSettingsLayout.tsx']],
  ['/data-dashboard', ['layouts/ShellLayout.tsx', 'pages/dashboard/DashboardPage.tsx']],
]

interface Chunk {
  type: 'chunk'
  fileName: string
  isEntry: boolean
  facadeModuleId: string | null
  imports: string[]
}

export function routePreloads(): Plugin {
  let base = '/'
  return {
    name: 'atrium:route-preloads',
    apply: 'build',
    configResolved(config) {
      base = config.base
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk')
        const known = new Set(
          withImports(
            chunks,
            chunks.filter(({ isEntry }) => isEntry),
          ),
        )
        const table = PAGES.map(([beginning, modules]) => {
          const pages = modules.map((module) => chunkOf(chunks, module))
          const files = withImports(chunks, pages).filter((file) => !known.has(file))
          return [beginning, files]
        })
        return [
          {
            tag: 'script',
            attrs: { nonce: '__ATRIUM_NONCE__' },
            children: script(base, table),
            injectTo: 'head-prepend',
          },
        ]
      },
    },
  }
}

function chunkOf(chunks: Chunk[], module: string): Chunk {
  const found = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/src/${module}`))
  if (!found) throw new Error(`no page ${module} to preload`)
  return found
}

/** The files of chunks and of everything they import statically. */
function withImports(chunks: Chunk[], first: Chunk[]): string[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const seen = new Set<string>()
  const waiting = first.map(({ fileName }) => fileName)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    waiting.push(...(byName.get(name)?.imports ?? []))
  }
  return [...seen]
}

function script(base: string, table: unknown): string {
  return `(function(){var t=${JSON.stringify(table)};for(var i=0;i<t.length;i++)if(location.pathname.indexOf(t[i][0])===0){t[i][1].forEach(function(f){var l=document.createElement('link');l.rel='modulepreload';l.crossOrigin='';l.href=${JSON.stringify(base)}+f;document.head.appendChild(l)});break}})()`
}
