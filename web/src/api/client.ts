/**
 * The only way to call the server: credentials, timeout, language header, unwrapping `data`, and
 * handling failures. Nothing else in the console calls fetch.
 */
import createClient from 'openapi-fetch'
import { storedLanguage } from '../i18n/language'
import { lookForServer, lossesSoFar, serverAnswered } from './connection'
import { ApiError, errorOfAnswer, errorWithoutAnswer, givenUp } from './errors'
import type { paths } from './schema'

export const REQUEST_TIMEOUT_MS = 30_000

/** What the surrounding console does about failures; bound once at start-up, see main.tsx. */
interface FailureHandlers {
  notify: (error: ApiError) => void
  /** The session has ended. */
  unauthorized: (error: ApiError) => void
  /** Asks users to confirm their identity; false if they decline. */
  reauthenticate: () => Promise<boolean>
}

const NO_HANDLERS: FailureHandlers = {
  notify: () => {},
  unauthorized: () => {},
  reauthenticate: () => Promise.resolve(false),
}
let handlers = NO_HANDLERS

export function bindFailureHandlers(bound: Partial<FailureHandlers>): void {
  handlers = { ...NO_HANDLERS, ...bound }
}

export interface CallOptions {
  /** The user didn't start this call: report no failures except that the session has ended. */
  ignoreErrors?: boolean
  /** The caller handles a 401 itself, e.g. the sign-in form. */
  handles401?: boolean
}

/** For polling and prefetching. */
export const UNASKED: CallOptions = { ignoreErrors: true }

export const http = createClient<paths>({
  baseUrl: `${location.origin}/api/v1`,
  credentials: 'include',
  fetch: fetchWithReauth,
})

http.use({
  onRequest({ request }) {
    request.headers.set('Accept-Language', storedLanguage())
    request.headers.set('Accept', 'application/json')
  },
})

export async function fetchWithLimit(request: Request): Promise<Response> {
  const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const lossesBefore = lossesSoFar()
  try {
    const response = await fetch(request, { signal: AbortSignal.any([request.signal, limit]) })
    serverAnswered(lossesBefore)
    return response
  } catch (cause) {
    // An aborted call is not a failure to report.
    if (request.signal.aborted) throw cause
    throw errorWithoutAnswer(limit.aborted ? 'timeout' : 'network')
  }
}

/**
 * Some calls require a recent sign-in. This is transparent to the caller: ask the user to confirm,
 * then repeat the call once.
 */
async function fetchWithReauth(request: Request): Promise<Response> {
  // A body can be sent only once, so clone the request before the first try.
  const again = request.clone()
  const response = await fetchWithLimit(request)
  if (!(await needsReauth(response))) return response
  if (!(await handlers.reauthenticate())) throw givenUp('reauth_cancelled')
  return fetchWithLimit(again)
}

async function needsReauth(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return errorOfAnswer(response, body).code === 'reauth_required'
}

type Result<Body> = { data?: Body; error?: unknown; response: Response }

/** Awaits a call, unwraps its `data`, and turns every failure into an ApiError. */
export function call<Body extends { data?: unknown }>(
  pending: Promise<Result<Body>>,
  options: CallOptions = {},
): Promise<Body['data']> {
  return settle(pending, options, (body) => {
    if (body === undefined || typeof body !== 'object') throw errorWithoutAnswer('bad_answer')
    return body.data
  })
}

/** The same for the few calls that return a file, which has no envelope. */
export function callForFile(
  pending: Promise<Result<Blob>>,
  options: CallOptions = {},
): Promise<Blob> {
  return settle(pending, options, (file) => {
    if (!file) throw errorWithoutAnswer('bad_answer')
    return file
  })
}

/** The same for streams: the response headers decide; the body belongs to the caller. */
export function callForStream(
  pending: Promise<Result<ReadableStream<Uint8Array> | null>>,
  options: CallOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  return settle(pending, options, (body) => {
    if (!body) throw errorWithoutAnswer('bad_answer')
    return body
  })
}

async function settle<Body, Answer>(
  pending: Promise<Result<Body>>,
  options: CallOptions,
  read: (body: Body | undefined) => Answer,
): Promise<Answer> {
  try {
    const { data: body, error, response } = await pending.catch(explain)
    if (!response.ok) throw errorOfAnswer(response, error)
    return read(body)
  } catch (failure) {
    if (failure instanceof ApiError) report(failure, options)
    throw failure
  }
}

function explain(cause: unknown): never {
  // A successful response whose body isn't JSON.
  if (cause instanceof SyntaxError) throw errorWithoutAnswer('bad_answer')
  // The headers arrived but the body didn't: the connection broke, or the timeout hit.
  if (cause instanceof TypeError) throw errorWithoutAnswer('network')
  if (cause instanceof DOMException && cause.name === 'TimeoutError') {
    throw errorWithoutAnswer('timeout')
  }
  throw cause
}

function report(error: ApiError, options: CallOptions): void {
  // Don't tell users about their own decision.
  if (error.message === '') return
  if (error.status === 401) {
    if (!options.handles401 && leaving.size === 0) handlers.unauthorized(error)
  } else if (!options.ignoreErrors && !isShownInPlace(error)) void tell(error)
}

/** Refusals that lead the user to a separate step. */
const STEPS = ['second_factor_required', 'sso_required']

/** Whether the failure appears at the form's fields or as a required step. */
function isShownInPlace({ code, fields }: ApiError): boolean {
  return Object.keys(fields).length > 0 || STEPS.includes(code ?? '')
}

/** A lost connection is reported once for all calls, not for each. */
async function tell(error: ApiError): Promise<void> {
  if (error.code === 'network' && !(await lookForServer())) return
  handlers.notify(error)
}

/** How late calls that were in flight when the session ended may be answered. */
const STRAGGLERS_MS = 2_000
/** Operations that are ending the session right now. */
export const leaving = new Set<object>()

/**
 * Runs an operation that ends the session. Other calls refused meanwhile are expected, and must not
 * redirect the user elsewhere.
 */
export async function whileLeaving<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  const own = {}
  leaving.add(own)
  try {
    const answer = await work()
    setTimeout(() => leaving.delete(own), STRAGGLERS_MS)
    return answer
  } catch (error) {
    leaving.delete(own)
    if (error instanceof ApiError && error.status === 401) handlers.unauthorized(error)
    throw error
  }
}

/** For code that called with `ignoreErrors` and then decides to report the failure after all. */
export function notifyFailure(error: unknown): void {
  if (error instanceof ApiError) void tell(error)
}
