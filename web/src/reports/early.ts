/**
 * Errors on their way to the reporting client. That is heavy and comes after sign-in; until then a
 * few are remembered, and forgotten with the page if nobody signs in.
 */
export interface Mishap {
  error: unknown
  /** Where it happened: by the time it is told, the person may be elsewhere. */
  path: string
  componentStack?: string
}

const MOST = 10

let remembered: Mishap[] = []
let tell: ((mishap: Mishap) => void) | null = null

/** Also for what the error boundary caught, which no window learns of. */
export function reportError(error: unknown, componentStack?: string | null): void {
  const mishap: Mishap = {
    error,
    path: window.location.pathname,
    componentStack: componentStack ?? undefined,
  }
  if (tell) return tell(mishap)
  const known = remembered.some((other) => other.error === error)
  if (!known && remembered.length < MOST) remembered.push(mishap)
}

/** The client is there: it gets what happened so far, and from now on sees uncaught ones itself. */
export function tellMishaps(listener: (mishap: Mishap) => void): void {
  window.removeEventListener('error', onError)
  window.removeEventListener('unhandledrejection', onRejection)
  tell = listener
  remembered.splice(0).forEach(listener)
}

export function watchForErrors(): void {
  window.addEventListener('error', onError)
  window.addEventListener('unhandledrejection', onRejection)
}

/** For tests: as a page that was just opened. */
export function forgetMishaps(): void {
  remembered = []
  tell = null
}

function onError(event: ErrorEvent): void {
  reportError(event.error ?? event.message)
}

function onRejection(event: PromiseRejectionEvent): void {
  reportError(event.reason)
}
