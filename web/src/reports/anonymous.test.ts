import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOfAnswer } from '../api/errors'
import { toRoutes } from '../router/entry'
import { routeTable } from '../routes'
import { rememberUser } from '../session/session'
import { anEnvironment, aUser, ok, refusal, stubServer, type SeenRequest } from '../testing/server'
import { framesOf } from './anonymous'
import { forgetMishaps, reportError } from './early'
import * as client from './sentry'
import { followPeople, STRANGERS_SAMPLED } from './start'

const TUNNEL = '/error-reports'
const SETTINGS = {
  dsn: 'https://key@atrium.example/1',
  tunnel: `${window.location.origin}/api/v1${TUNNEL}`,
  kept: true,
}

let stop = () => {}
let seen: SeenRequest[] = []

beforeEach(() => {
  vi.clearAllMocks()
  forgetMishaps()
  vi.spyOn(Math, 'random').mockReturnValue(0)
  vi.spyOn(client, 'report').mockReturnValue({ follow: vi.fn() })
})
afterEach(() => {
  stop()
  vi.restoreAllMocks()
})

/** The code calls fetch with a URL and options, but the stub takes a request. */
async function start(error_reporting: object | null = SETTINGS) {
  seen = stubServer({ '/envs': ok({ ...anEnvironment, error_reporting }), [TUNNEL]: ok({}) })
  const stubbed = window.fetch
  vi.stubGlobal('fetch', (input: Request | string, init?: RequestInit) =>
    stubbed(typeof input === 'string' ? new Request(input, init) : input, init),
  )
  stop = await followPeople(toRoutes(routeTable))
}

const sent = () => seen.filter(({ path }) => path === TUNNEL)

interface Told {
  transaction: string
  user?: unknown
  exception: { values: { type: string; value: string; stacktrace: { frames: object[] } }[] }
}
const told = (index: number) => {
  const [head, about, event] = sent()[index]!.body.split('\n')
  expect(JSON.parse(head!)).toMatchObject({ dsn: SETTINGS.dsn })
  expect(JSON.parse(about!)).toEqual({ type: 'event' })
  return JSON.parse(event!) as Told
}

describe('an error of someone who is not signed in', () => {
  it('is told without cookies, and its route as a pattern', async () => {
    window.history.replaceState(null, '', '/pwdReset/s3cret')
    reportError(new RangeError(`broken at ${window.location.origin}/pwdReset/s3cret?code=1234`))
    window.history.replaceState(null, '', '/')
    await start()
    await vi.waitFor(() => expect(sent()).toHaveLength(1))
    expect(sent()[0]!.credentials).toBe('omit')
    const event = told(0)
    expect(event.transaction).toBe('/pwdReset/:token')
    expect(event.exception.values[0]).toMatchObject({
      type: 'RangeError',
      value: `broken at ${window.location.origin}/pwdReset/:token`,
    })
    expect(event.exception.values[0]!.stacktrace.frames.length).toBeGreaterThan(0)
    expect(event).not.toHaveProperty('user')
    expect(sent()[0]!.body).not.toContain('s3cret')
  })

  it('is told three times on a page and no more', async () => {
    await start()
    for (let n = 0; n < 9; n++) reportError(new Error(`error ${n}`))
    await vi.waitFor(() => expect(sent()).toHaveLength(3))
    await new Promise((later) => setTimeout(later))
    expect(sent()).toHaveLength(3)
  })

  it('is told of a sample of the pages only', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(STRANGERS_SAMPLED)
    await start()
    reportError(new Error('unlucky'))
    await new Promise((later) => setTimeout(later))
    expect(sent()).toEqual([])
  })

  it('is not told where the instance does not ask for it, nor what the server answered', async () => {
    await start(null)
    reportError(new Error('off'))
    forgetMishaps()
    await start()
    reportError(errorOfAnswer(refusal(500)(), ''))
    reportError(new Error('ResizeObserver loop completed with undelivered notifications.'))
    await new Promise((later) => setTimeout(later))
    expect(sent()).toEqual([])
  })

  it('is left to the client once someone is signed in', async () => {
    await start()
    rememberUser(aUser)
    await vi.waitFor(() => expect(client.report).toHaveBeenCalledOnce())
    reportError(new Error('signed in'))
    await new Promise((later) => setTimeout(later))
    expect(sent()).toEqual([])
  })
})

it('reads the stacks of all browsers', () => {
  const chromium = [
    'Error: x',
    '    at inner (https://a.example/v1/assets/x-1.js:3:14)',
    '    at async https://a.example/v1/assets/y-2.js:1:2',
    '    at new Promise (<anonymous>)',
  ].join('\n')
  expect(framesOf(chromium)).toEqual([
    { function: '?', filename: 'https://a.example/v1/assets/y-2.js', lineno: 1, colno: 2 },
    { function: 'inner', filename: 'https://a.example/v1/assets/x-1.js', lineno: 3, colno: 14 },
  ])
  const firefox = 'inner@https://a.example/x.js:3:14\n@https://a.example/y.js:1:2\n'
  expect(framesOf(firefox)).toEqual([
    { function: '?', filename: 'https://a.example/y.js', lineno: 1, colno: 2 },
    { function: 'inner', filename: 'https://a.example/x.js', lineno: 3, colno: 14 },
  ])
})
