import { beforeEach, describe, expect, it, vi } from 'vitest'
import { changeLanguage, useLanguageStore } from '../i18n/store'
import { readPack } from '../testing/packs'
import { ok, refusal, stubServer } from '../testing/server'
import {
  bindFailureHandlers,
  call,
  http,
  REQUEST_TIMEOUT_MS,
  whileLeaving,
  type CallOptions,
} from './client'
import { lookForServer, useConnection } from './connection'
import { ApiError } from './errors'

const notify = vi.fn<(error: ApiError) => void>()
const unauthorized = vi.fn()

beforeEach(() => {
  notify.mockReset()
  unauthorized.mockReset()
  bindFailureHandlers({ notify, unauthorized })
})

const current = (options?: CallOptions) => call(http.GET('/current'), options)

async function failureOf(pending: Promise<unknown>): Promise<ApiError> {
  const failure = await pending.then(
    () => null,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ApiError)
  return failure as ApiError
}

describe('a call', () => {
  it('carries credentials and the stored language, and is unwrapped', async () => {
    localStorage.setItem('currentLang', 'en-US')
    const seen = stubServer({ '/current': ok({ name: 'Lin' }) })
    expect(await current()).toEqual({ name: 'Lin' })
    expect(seen).toHaveLength(1)
    expect(seen[0]!.headers.get('accept-language')).toBe('en-US')
    expect(seen[0]!.credentials).toBe('include')
    expect(notify).not.toHaveBeenCalled()
  })

  it('asks in Chinese where nothing supported is stored', async () => {
    localStorage.setItem('currentLang', 'fr-FR')
    const seen = stubServer({ '/current': ok(null) })
    await current()
    expect(seen[0]!.headers.get('accept-language')).toBe('zh-CN')
  })

  it('gives up after 30 seconds', async () => {
    expect(REQUEST_TIMEOUT_MS).toBe(30_000)
    const limit = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    stubServer({ '/current': () => new Promise<Response>(() => {}) })
    const pending = failureOf(current())
    limit.abort(new DOMException('late', 'TimeoutError'))
    expect(await pending).toMatchObject({
      status: 0,
      code: 'timeout',
      message: '请求超时，请稍后重试。',
    })
    expect(timeout).toHaveBeenCalledWith(30_000)
  })

  it('tells a lost network from an answer', async () => {
    stubServer({ '/build-info': ok({}) })
    expect(await failureOf(current())).toMatchObject({ status: 0, code: 'network' })
    await vi.waitFor(() => expect(notify).toHaveBeenCalledTimes(1))
    expect(useConnection.getState().state).toBe('fine')
  })

  it('leaves it to one notice to say that nothing can be reached', async () => {
    stubServer({})
    await failureOf(current({ ignoreErrors: true }))
    expect(useConnection.getState().state).toBe('fine')
    await failureOf(current())
    await vi.waitFor(() => expect(useConnection.getState().state).toBe('lost'))
    await failureOf(current())
    expect(notify).not.toHaveBeenCalled()
    stubServer({ '/current': refusal(503), '/build-info': ok({}) })
    await failureOf(current())
    expect(useConnection.getState().state).toBe('again')
  })

  it('does not take an answer that was on its way when the connection was lost for a new one', async () => {
    let arrive = (_: Response) => {}
    const seen = stubServer({ '/current': () => new Promise((resolve) => (arrive = resolve)) })
    const early = current()
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    stubServer({})
    expect(await lookForServer()).toBe(false)
    arrive(ok({ name: 'Li' })())
    expect(await early).toEqual({ name: 'Li' })
    expect(useConnection.getState().state).toBe('lost')
  })

  it.each([
    ['no JSON', () => new Response('<html>')],
    ['no envelope', () => Response.json('text')],
  ])('does not take a success with %s for one', async (_, answer) => {
    stubServer({ '/current': answer })
    expect(await failureOf(current())).toMatchObject({ code: 'bad_answer' })
  })
})

describe('the text of a failure', () => {
  const text = async (status: number, body?: unknown) => {
    stubServer({ '/current': refusal(status, body) })
    return (await failureOf(current())).message
  }

  it('joins the errors listed', async () => {
    const body = {
      message: 'sum',
      errors: [
        { error: '甲', code: 'a' },
        { error: '乙', code: 'b' },
      ],
    }
    expect(await text(422, body)).toBe('甲；乙')
  })

  it('says each sentence once, one after the other', async () => {
    const of = (...texts: string[]) => ({ message: '', errors: texts.map((error) => ({ error })) })
    expect(await text(422, of('甲。', '乙。', '甲。'))).toBe('甲。乙。')
    expect(await text(422, of('One.', 'Two.'))).toBe('One. Two.')
  })

  it('is the message where no errors are listed', async () => {
    expect(await text(422, { message: '整体', errors: [] })).toBe('整体')
    expect(await text(422, { message: '整体' })).toBe('整体')
  })

  const defaults: [number, string, string][] = [
    [400, '请求有误', 'Bad request'],
    [401, '身份验证失败', 'Authentication error'],
    [403, '没有权限', 'No permission'],
    [406, '请求格式有误', 'Bad request format'],
    [410, '资源已不存在', 'Resource no longer exists'],
    [422, '参数有误', 'Parameter error'],
    [500, '服务器出错了', 'Server error'],
  ]
  it.each(defaults)('defaults by status %i in both languages', async (status, chinese, english) => {
    expect(await text(status)).toBe(chinese)
    useLanguageStore.setState({ allLangPackage: { 'en-US': readPack('en-US') } })
    await changeLanguage('en-US')
    expect(await text(status, '<html>proxy</html>')).toBe(english)
  })

  it('is the status text for any other status', async () => {
    stubServer({ '/current': new Response('', { status: 418, statusText: 'I am a teapot' }) })
    expect((await failureOf(current())).message).toBe('I am a teapot')
    expect(await text(418)).toBe('HTTP 418')
  })
})

describe('a refusal', () => {
  it('carries code, fields, request id and when to try again', async () => {
    vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] })
    const body = {
      message: 'm',
      errors: [
        { error: '已被占用', code: 'email_taken', field: 'email' },
        { error: '又一条', code: 'email_odd', field: 'email' },
        { error: '太短', code: 'too_short', field: 'password' },
      ],
    }
    stubServer({ '/current': refusal(429, body, { 'x-request-id': 'r-1', 'retry-after': '12' }) })
    expect(await failureOf(current())).toMatchObject({
      status: 429,
      code: 'email_taken',
      fields: { email: '已被占用', password: '太短' },
      requestId: 'r-1',
      retryAt: 1_012_000,
    })
    vi.useRealTimers()
  })

  it('is notified once, unless the call ignores errors', async () => {
    stubServer({ '/current': refusal(500) })
    await failureOf(current())
    expect(notify).toHaveBeenCalledTimes(1)
    await failureOf(current({ ignoreErrors: true }))
    expect(notify).toHaveBeenCalledTimes(1)
    expect(unauthorized).not.toHaveBeenCalled()
  })

  it('is left to the form or the step that shows it', async () => {
    const at = (field?: string, code = 'a') => ({
      message: '',
      errors: [{ error: '甲', code, field }],
    })
    stubServer({ '/current': refusal(422, at('name')) })
    await failureOf(current())
    stubServer({ '/current': refusal(403, at(undefined, 'second_factor_required')) })
    await failureOf(current())
    expect(notify).not.toHaveBeenCalled()
    stubServer({ '/current': refusal(422, at()) })
    await failureOf(current())
    expect(notify).toHaveBeenCalledTimes(1)
  })

  it('with 401 leads to sign-in, also where errors are ignored', async () => {
    stubServer({ '/current': refusal(401) })
    await failureOf(current({ ignoreErrors: true }))
    expect(unauthorized).toHaveBeenCalledTimes(1)
    await failureOf(current({ handles401: true }))
    expect(unauthorized).toHaveBeenCalledTimes(1)
  })
})

describe('leaving', () => {
  const refused = refusal(401, { message: 'no', errors: [] })

  it('keeps calls that the end of the session refuses from leading elsewhere', async () => {
    vi.useFakeTimers()
    stubServer({ '/current': refused })
    await whileLeaving(async () => {
      await failureOf(current({ ignoreErrors: true }))
    })
    await failureOf(current({ ignoreErrors: true }))
    expect(unauthorized).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2_000)
    await failureOf(current({ ignoreErrors: true }))
    expect(unauthorized).toHaveBeenCalledTimes(1)
    vi.useRealTimers()
  })

  it('that is itself refused leads to sign-in like any call', async () => {
    stubServer({ '/current': refused })
    await failureOf(whileLeaving(() => current({ ignoreErrors: true })))
    expect(unauthorized).toHaveBeenCalledTimes(1)
    await failureOf(current({ ignoreErrors: true }))
    expect(unauthorized).toHaveBeenCalledTimes(2)
  })
})
