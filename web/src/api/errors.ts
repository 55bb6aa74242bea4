/** What a failed call becomes, and the text shown for it. */
import { t } from '../i18n/store'
import type { components } from './schema'

type ErrorBody = components['schemas']['ErrorBody']

/** `network`: no answer. `timeout`: none in time. `bad_answer`: an unexpected format. */
export type LocalCode = 'network' | 'timeout' | 'bad_answer'
/** The user changed their mind. */
type GivenUpCode = 'reauth_cancelled' | 'passkey_cancelled'
/** Known failure codes. One that only a newer server knows still has its text. */
export type FailureCode =
  | components['schemas']['ErrorCode' | 'RejectionReason']
  | LocalCode
  | GivenUpCode
  | 'passkey_failed'

interface ErrorParts {
  status: number
  code: FailureCode | null
  /**
   * Evaluated whenever the text is read: at start-up a failure can arrive before the language pack.
   */
  text: () => string
  fields?: Record<string, string>
  requestId?: string | null
  retryAt?: number | null
}

export class ApiError extends Error {
  /** HTTP status; 0 if no answer arrived. */
  readonly status: number
  /** The answer's first stable code, or a local one. */
  readonly code: FailureCode | null
  /** Messages by form field. */
  readonly fields: Record<string, string>
  readonly requestId: string | null
  /** The time (ms) before which the server asks not to retry. */
  readonly retryAt: number | null

  constructor(parts: ErrorParts) {
    super()
    Object.defineProperty(this, 'message', { get: parts.text })
    this.name = 'ApiError'
    this.status = parts.status
    this.code = parts.code
    this.fields = parts.fields ?? {}
    this.requestId = parts.requestId ?? null
    this.retryAt = parts.retryAt ?? null
  }
}

/** The error the server would return without a session. */
export function notSignedIn(): ApiError {
  return new ApiError({ status: 401, code: 'not_signed_in', text: () => t('error.status.401') })
}

export function isUnauthorized(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401
}

/** The error for an answer that arrived. `body` may be JSON, a proxy's text, or nothing. */
export function errorOfAnswer(response: Response, body: unknown): ApiError {
  const envelope = readEnvelope(body)
  const fields: Record<string, string> = {}
  for (const item of envelope.errors) {
    if (item.field && !(item.field in fields)) fields[item.field] = item.error
  }
  return new ApiError({
    status: response.status,
    code: envelope.errors[0]?.code ?? null,
    text: () => errorText(response, envelope),
    fields,
    requestId: response.headers.get('x-request-id'),
    retryAt: readRetryAfter(response.headers.get('retry-after')),
  })
}

export function errorWithoutAnswer(code: LocalCode): ApiError {
  return new ApiError({ status: 0, code, text: () => t(`error.${code}`) })
}

/** The user changed their mind. There is nothing to say, so the text is empty. */
export function givenUp(code: GivenUpCode): ApiError {
  return new ApiError({ status: 0, code, text: () => '' })
}

function errorText(response: Response, envelope: ErrorBody): string {
  const listed = envelope.errors.map((item) => item.error).filter(Boolean)
  if (listed.length > 0) return [...new Set(listed)].reduce(inOneText)
  return envelope.message || defaultText(response)
}

/** Joins two texts; after a full sentence, no extra punctuation is needed. */
function inOneText(before: string, next: string): string {
  if (/[。！？]$/.test(before)) return before + next
  if (/[.!?]$/.test(before)) return `${before} ${next}`
  return before + t('error.separator', {}, '; ') + next
}

function defaultText(response: Response): string {
  switch (response.status) {
    case 400:
    case 401:
    case 403:
    case 406:
    case 410:
    case 422:
    case 500:
      return t(`error.status.${response.status}`, {}, response.statusText)
    default:
      // HTTP/2 has no status text.
      return response.statusText || `HTTP ${response.status}`
  }
}

function readEnvelope(body: unknown): ErrorBody {
  if (typeof body !== 'object' || body === null) return { message: '', errors: [] }
  const { message, errors } = body as Partial<Record<keyof ErrorBody, unknown>>
  return {
    message: typeof message === 'string' ? message : '',
    errors: Array.isArray(errors) ? errors.filter(isErrorItem) : [],
  }
}

function isErrorItem(item: unknown): item is ErrorBody['errors'][number] {
  return (
    typeof item === 'object' &&
    item !== null &&
    typeof (item as { error?: unknown }).error === 'string'
  )
}

/** The header contains seconds or a date. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const moment = /^\d+$/.test(header) ? Date.now() + Number(header) * 1000 : Date.parse(header)
  return Number.isFinite(moment) ? moment : null
}
