/**
 * Allows one reload when the console's code is gone, but never two for the same build: if one
 * didn't help, another won't.
 */
const KEY = 'atrium.reloaded'
/** Two servers that each lack the other's code would bounce a browser back and forth. */
const NOT_AGAIN_WITHIN_MS = 60_000

interface Reload {
  build: string
  at: number
}

/** The entry script's URL changes with every build. */
function runningBuild(): string {
  return document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? ''
}

/** True if a reload may be tried; remembers that it was. */
export function takeReload(now = Date.now(), build = runningBuild()): boolean {
  try {
    const last = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Reload | null
    if (last && (last.build === build || now - last.at < NOT_AGAIN_WITHIN_MS)) return false
    sessionStorage.setItem(KEY, JSON.stringify({ build, at: now } satisfies Reload))
    return true
  } catch {
    // Without storage it could reload forever.
    return false
  }
}
