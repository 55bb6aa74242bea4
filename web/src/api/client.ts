/**
 * The one way to the server: credentials, time limit, language header, unwrapping of `data`, and
 * what a failure does. Nothing else in the console calls fetch.
 */
import createClient from 'openapi-fetch'
import { storedLanguage } from '../i18n/language'
import { lookForServer, lossesSoFar, serverAnswered } from './connection'
import { ApiError, errorOfAnswer, errorWithoutAnswer, givenUp } from './errors'
import type { paths } from './schema'

export const REQUEST_TIMEOUT_MS = 30_000

/** What the console around the client does about failures; bound once at start, see main.tsx. */
interface FailureHandlers {
  notify: (error: ApiError) => void
  /** The session has ended. */
  unauthorized: (error: ApiError) => void
  /** Asks the person to prove that it is them; false where they would rather not. */
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
  /** The person did not ask for it: what goes wrong is not told, but that the session has ended. */
  ignoreErrors?: boolean
  /** The caller answers a 401 itself, e.g. the sign-in form. */
  handles401?: boolean
}

/** A poll, or what is read ahead. */
export const UNASKED: CallOptions = { ignoreErrors: true }

export const http = createClient<paths>({
  baseUrl: `${location.origin}/api/v1`,
  credentials: 'include',
  fetch: fetchProven,
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
    // A caller that gave up is no failure to tell a person about.
    if (request.signal.aborted) throw cause
    throw errorWithoutAnswer(limit.aborted ? 'timeout' : 'network')
  }
}

/**
 * Some calls want a sign-in of the last minutes. Whoever calls need not know: the person is asked,
 * and then the call is made once more.
 */
async function fetchProven(request: Request): Promise<Response> {
  // A body can be sent only once, so the second try needs a copy made before the first.
  const again = request.clone()
  const response = await fetchWithLimit(request)
  if (!(await wantsProof(response))) return response
  if (!(await handlers.reauthenticate())) throw givenUp('reauth_cancelled')
  return fetchWithLimit(again)
}

async function wantsProof(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return errorOfAnswer(response, body).code === 'reauth_required'
}

type Result<Body> = { data?: Body; error?: unknown; response: Response }

/** Waits for a call, unwraps its `data`, and turns every failure into one ApiError. */
export function call<Body extends { data?: unknown }>(
  pending: Promise<Result<Body>>,
  options: CallOptions = {},
): Promise<Body['data']> {
  return settle(pending, options, (body) => {
    if (body === undefined || typeof body !== 'object') throw errorWithoutAnswer('bad_answer')
    return body.data
  })
}

/** The same for the few calls that answer with a file, which stands in no envelope. */
export function callForFile(
  pending: Promise<Result<Blob>>,
  options: CallOptions = {},
): Promise<Blob> {
  return settle(pending, options, (file) => {
    if (!file) throw errorWithoutAnswer('bad_answer')
    return file
  })
}

/** And for what comes bit by bit: the head of the answer decides, its body is the caller's. */
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
  // The person's own decision is no news to them.
  if (error.message === '') return
  if (error.status === 401) {
    if (!options.handles401 && leaving.size === 0) handlers.unauthorized(error)
  } else if (!options.ignoreErrors && !isShownInPlace(error)) void tell(error)
}

/** Refusals that take the person to a step of its own. */
const STEPS = ['second_factor_required', 'sso_required']

/** At the fields of the form that was sent, or as the step that is wanted first. */
function isShownInPlace({ code, fields }: ApiError): boolean {
  return Object.keys(fields).length > 0 || STEPS.includes(code ?? '')
}

/** A lost connection is said for all calls at once, and then not for each of them. */
async function tell(error: ApiError): Promise<void> {
  if (error.code === 'network' && !(await lookForServer())) return
  handlers.notify(error)
}

/** Answers to calls that were under way when the session ended come this late at most. */
const STRAGGLERS_MS = 2_000
/** Everything that ends the session just now. */
export const leaving = new Set<object>()

/**
 * Does what ends the session. That other calls are refused meanwhile is no news, and must not lead
 * the person anywhere but where this leads them.
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

/** For code that called with `ignoreErrors` and then finds that the person should know after all. */
export function notifyFailure(error: unknown): void {
  if (error instanceof ApiError) void tell(error)
}
