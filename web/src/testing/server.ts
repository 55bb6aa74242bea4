/** Answers the console's requests in unit tests: a table of paths instead of a network. */
import { vi } from 'vitest'
import type { User } from '../api/account'

export interface SeenRequest {
  method: string
  path: string
  /** Without the question mark. */
  query: string
  headers: Headers
  credentials: string
  body: string
}

type Answer = Response | Promise<Response> | (() => Response | Promise<Response>)

/**
 * Paths omit /api/v1; one that answers differently by method is listed as "PUT /path" too. Unlisted
 * paths fail like a lost network.
 */
export function stubServer(answers: Record<string, Answer>): SeenRequest[] {
  const seen: SeenRequest[] = []
  vi.stubGlobal('fetch', async (request: Request, init?: RequestInit) => {
    const { pathname, search } = new URL(request.url)
    const path = pathname.replace(/^\/api\/v1/, '')
    seen.push({
      method: request.method,
      path,
      query: search.slice(1),
      headers: request.headers,
      credentials: request.credentials,
      body: await request.clone().text(),
    })
    const answer = answers[`${request.method} ${path}`] ?? answers[path]
    if (!answer) throw new TypeError('Failed to fetch')
    const pending = typeof answer === 'function' ? answer() : answer
    return Promise.race([pending, aborted(init?.signal)])
  })
  return seen
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal?.reason as Error)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
  })
}

export function ok(data: unknown): () => Response {
  return () => Response.json({ data })
}

export function refusal(
  status: number,
  body: unknown = '',
  headers: HeadersInit = {},
): () => Response {
  return () =>
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
}

export const aUser: User = {
  id: '0198a000-0000-7000-8000-000000000001',
  email: 'lin@example.com',
  name: '林小雨',
  locale: 'zh-CN',
  timezone: 'Asia/Shanghai',
  created_at: '2026-01-01T00:00:00.000Z',
  allow_visited_app: true,
  operator: false,
  notification_types: {},
  bindings: { wechatwork: null, feishu: null },
  mfa: { totp: false, passkeys: 0, required: false },
  has_password: true,
  sso: [],
  last_app: {
    org_id: 'org-1',
    app_id: 'app-1',
    endpoint: 'https://atrium.example',
    is_local: true,
  },
}

export const anEnvironment = {
  environment: 'production-front',
  build_version: 'v25.10.202',
  build_message: null,
  registration: 'invite',
  providers: { sso: false, wechatwork: false, feishu: false },
  mail_configured: true,
  watermark: true,
  error_reporting: null,
}

export const startUpAnswers = { '/envs': ok(anEnvironment), '/regions': ok([]) }
