/**
 * Errors on their way to the reporting client, which is heavy and loads after sign-in. Until then a
 * few are kept, and reported without it while nobody is signed in.
 */
export interface Mishap {
  error: unknown
  /** Where it happened: by the time it is reported, the user may be elsewhere. */
  path: string
  componentStack?: string
}

const MOST = 10

let remembered: (Mishap & { told?: boolean })[] = []
let tellNow: ((mishap: Mishap) => boolean) | null = null
let tell: ((mishap: Mishap) => void) | null = null

/** Also for errors caught by the error boundary, which never reach window. */
export function reportError(error: unknown, componentStack?: string | null): void {
  const mishap: Mishap = {
    error,
    path: window.location.pathname,
    componentStack: componentStack ?? undefined,
  }
  if (tell) return tell(mishap)
  const known = remembered.some((other) => other.error === error)
  if (known || remembered.length >= MOST) return
  remembered.push({ ...mishap, told: tellNow?.(mishap) })
}

/**
 * For use while nobody is signed in. The listener returns whether it reported the error; others are
 * kept.
 */
export function tellStrangersMishaps(listener: ((mishap: Mishap) => boolean) | null): void {
  tellNow = listener
  if (!listener) return
  remembered = remembered.map((mishap) => ({ ...mishap, told: mishap.told || listener(mishap) }))
}

/**
 * Once the client has loaded: hands over what happened so far. From now on, it catches uncaught
 * errors itself.
 */
export function tellMishaps(listener: (mishap: Mishap) => void): void {
  window.removeEventListener('error', onError)
  window.removeEventListener('unhandledrejection', onRejection)
  tell = listener
  const untold = remembered.splice(0).filter(({ told }) => !told)
  untold.forEach(({ error, path, componentStack }) => listener({ error, path, componentStack }))
}

export function watchForErrors(): void {
  window.addEventListener('error', onError)
  window.addEventListener('unhandledrejection', onRejection)
}

/** For tests: resets to the state of a new page. */
export function forgetMishaps(): void {
  remembered = []
  tellNow = null
  tell = null
}

function onError(event: ErrorEvent): void {
  reportError(event.error ?? event.message)
}

function onRejection(event: PromiseRejectionEvent): void {
  reportError(event.reason)
}
