/**
 * Errors on their way to the reporting client. That is heavy and comes after sign-in; until then a
 * few are remembered, and told without it while nobody is signed in.
 */
export interface Mishap {
  error: unknown
  /** Where it happened: by the time it is told, the person may be elsewhere. */
  path: string
  componentStack?: string
}

const MOST = 10

let remembered: (Mishap & { told?: boolean })[] = []
let tellNow: ((mishap: Mishap) => boolean) | null = null
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
  if (known || remembered.length >= MOST) return
  remembered.push({ ...mishap, told: tellNow?.(mishap) })
}

/** While nobody is signed in. The listener says whether it told; what it did not tell can wait. */
export function tellStrangersMishaps(listener: ((mishap: Mishap) => boolean) | null): void {
  tellNow = listener
  if (!listener) return
  remembered = remembered.map((mishap) => ({ ...mishap, told: mishap.told || listener(mishap) }))
}

/** The client is there: it gets what happened so far, and from now on sees uncaught ones itself. */
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

/** For tests: as a page that was just opened. */
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
