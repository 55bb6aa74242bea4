/**
 * One reload for a console whose code is gone, never a second one for the same console: what a
 * reload has not helped against, another one does not either.
 */
const KEY = 'atrium.reloaded'
/** Two servers that each lack the other's code would send a browser to and fro. */
const NOT_AGAIN_WITHIN_MS = 60_000

interface Reload {
  build: string
  at: number
}

/** The address of the first script changes with every build. */
function runningBuild(): string {
  return document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? ''
}

/** True where a reload may be tried, which is remembered as done. */
export function takeReload(now = Date.now(), build = runningBuild()): boolean {
  try {
    const last = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Reload | null
    if (last && (last.build === build || now - last.at < NOT_AGAIN_WITHIN_MS)) return false
    sessionStorage.setItem(KEY, JSON.stringify({ build, at: now } satisfies Reload))
    return true
  } catch {
    // What cannot be remembered could be repeated for ever.
    return false
  }
}
