/**
 * The one way to the server: credentials, time limit, language header, unwrapping of `data`, and
 * what a failure does. Nothing else in the console calls fetch.
 */
import createClient from 'openapi-fetch'
import { storedLanguage } from '../i18n/language'
import { ApiError, errorOfAnswer, errorWithoutAnswer } from './errors'
import type { paths } from './schema'

export const REQUEST_TIMEOUT_MS = 30_000

/** What the console around the client does about failures; bound once at start, see main.tsx. */
interface FailureHandlers {
  notify: (error: ApiError) => void
  unauthorized: () => void
}

let handlers: FailureHandlers = { notify: () => {}, unauthorized: () => {} }

export function bindFailureHandlers(bound: FailureHandlers): void {
  handlers = bound
}

export interface CallOptions {
  /** No notification: the caller shows the failure in its own place, or it matters to nobody. */
  ignoreErrors?: boolean
  /** The caller answers a 401 itself, e.g. the sign-in form. */
  handles401?: boolean
}

export const http = createClient<paths>({
  baseUrl: `${location.origin}/api/v1`,
  credentials: 'include',
  fetch: fetchWithLimit,
})

http.use({
  onRequest({ request }) {
    request.headers.set('Accept-Language', storedLanguage())
    request.headers.set('Accept', 'application/json')
  },
})

export async function fetchWithLimit(request: Request): Promise<Response> {
  const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, limit]) })
  } catch (cause) {
    // A caller that gave up is no failure to tell a person about.
    if (request.signal.aborted) throw cause
    throw errorWithoutAnswer(limit.aborted ? 'timeout' : 'network')
  }
}

type Result<Body> = { data?: Body; error?: unknown; response: Response }

/** Waits for a call, unwraps its `data`, and turns every failure into one ApiError. */
export async function call<Body extends { data?: unknown }>(
  pending: Promise<Result<Body>>,
  options: CallOptions = {},
): Promise<Body['data']> {
  try {
    const { data: body, error, response } = await pending.catch(explain)
    if (!response.ok) throw errorOfAnswer(response, error)
    if (body === undefined || typeof body !== 'object') throw errorWithoutAnswer('bad_answer')
    return body.data
  } catch (failure) {
    if (failure instanceof ApiError) report(failure, options)
    throw failure
  }
}

function explain(cause: unknown): never {
  // The body of a success that is no JSON.
  if (cause instanceof SyntaxError) throw errorWithoutAnswer('bad_answer')
  // The head of the answer came and its body did not: the line was cut, or the time was up.
  if (cause instanceof TypeError) throw errorWithoutAnswer('network')
  if (cause instanceof DOMException && cause.name === 'TimeoutError') {
    throw errorWithoutAnswer('timeout')
  }
  throw cause
}

function report(error: ApiError, options: CallOptions): void {
  if (!options.ignoreErrors) handlers.notify(error)
  if (error.status === 401 && !options.handles401) handlers.unauthorized()
}

/** For code that called with `ignoreErrors` and then finds that the person should know after all. */
export function notifyFailure(error: unknown): void {
  if (error instanceof ApiError) handlers.notify(error)
}
