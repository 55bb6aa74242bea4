import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError, errorOfAnswer } from '../api/errors'
import { toRoutes } from '../router/entry'
import { routeTable } from '../routes'
import { forgetUser, rememberUser } from '../session/session'
import { anEnvironment, aUser, ok, refusal, stubServer } from '../testing/server'
import { forgetMishaps, reportError } from './early'
import { SECRET } from './scrub'
import { tracedAddresses } from './sentry'
import { followPeople } from './start'

const sentry = vi.hoisted(() => ({
  init: vi.fn(),
  replay: { name: 'Replay', start: vi.fn(), startBuffering: vi.fn(), stop: vi.fn() },
  replayIntegration: vi.fn(),
  captureException: vi.fn(),
  captureReactException: vi.fn(),
  setUser: vi.fn(),
  addEventProcessor: vi.fn(),
}))
vi.mock('@sentry/react', () => ({
  ...sentry,
  browserTracingIntegration: () => ({ name: 'BrowserTracing' }),
  getDefaultIntegrations: () =>
    ['Breadcrumbs', 'BrowserSession', 'HttpContext', 'GlobalHandlers'].map((name) => ({ name })),
  makeFetchTransport: vi.fn(),
}))

const routes = toRoutes(routeTable)
const SETTINGS = {
  dsn: 'https://key@atrium.example/1',
  tunnel: '/api/v1/error-reports',
  kept: true,
}

interface Options {
  beforeSend: (event: object, hint: { originalException?: unknown }) => object | null
  integrations: { name: string }[]
  tracePropagationTargets: RegExp[]
}

let stop = () => {}

beforeEach(() => {
  vi.clearAllMocks()
  forgetMishaps()
  sentry.init.mockReturnValue({ addEventProcessor: sentry.addEventProcessor })
  sentry.replayIntegration.mockReturnValue(sentry.replay)
})

afterEach(() => stop())

const start = async (error_reporting: object | null = SETTINGS) => {
  stubServer({ '/envs': ok({ ...anEnvironment, error_reporting }) })
  stop = await followPeople(routes)
}
const started = () => vi.waitFor(() => expect(sentry.setUser).toHaveBeenCalled())

describe('the reporting client', () => {
  it('is not loaded where the instance does not ask for it', async () => {
    rememberUser(aUser)
    await start(null)
    await Promise.resolve()
    expect(sentry.init).not.toHaveBeenCalled()
  })

  it('comes with sign-in, not before', async () => {
    await start()
    expect(sentry.init).not.toHaveBeenCalled()
    rememberUser(aUser)
    await started()
    expect(sentry.setUser).toHaveBeenCalledExactlyOnceWith({ id: aUser.id })
  })

  it('samples, flushes and ends recordings as the product says', async () => {
    rememberUser(aUser)
    await start()
    await started()
    expect(sentry.init.mock.lastCall![0]).toMatchObject({
      ...{ dsn: SETTINGS.dsn, tunnel: SETTINGS.tunnel, environment: 'production-front' },
      replaysSessionSampleRate: 0.1,
      replaysOnErrorSampleRate: 1,
    })
    expect(sentry.replayIntegration.mock.lastCall![0]).toMatchObject({
      flushMinDelay: 1000,
      flushMaxDelay: 5000,
      minReplayDuration: 1000,
      maxReplayDuration: 120_000,
      stickySession: true,
      maskAllText: false,
      maskAllInputs: false,
      blockAllMedia: false,
      block: SECRET,
    })
    const { integrations } = sentry.init.mock.lastCall![0] as Options
    const names = integrations.map(({ name }) => name)
    expect(names).toEqual(['Breadcrumbs', 'GlobalHandlers', 'BrowserTracing', 'Replay'])
  })

  it('is told what happened before it came, with the route of that time', async () => {
    window.history.replaceState(null, '', '/pwdReset/secret')
    const error = new Error('early')
    reportError(error)
    window.history.replaceState(null, '', '/')
    rememberUser(aUser)
    await start()
    await vi.waitFor(() => expect(sentry.captureException).toHaveBeenCalled())
    expect(sentry.captureException).toHaveBeenCalledExactlyOnceWith(error, {
      captureContext: { contexts: { route: { pattern: '/pwdReset/:token' } } },
    })
    reportError(error, '\n  at Page')
    expect(sentry.captureReactException.mock.lastCall![1]).toEqual({
      componentStack: '\n  at Page',
    })
  })

  it('tells the route as a pattern', async () => {
    rememberUser(aUser)
    await start()
    await started()
    const process = sentry.addEventProcessor.mock.lastCall![0] as (event: object) => object
    window.history.replaceState(null, '', '/emailValidator/secret')
    const urls = [`${window.location.origin}/pwdReset/secret`]
    expect(process({ urls, transaction: '/emailValidator/secret' })).toEqual({
      transaction: '/emailValidator/:token',
      urls: [`${window.location.origin}/pwdReset/:token`],
    })
  })

  it('leaves what the server answered to the server’s log', async () => {
    rememberUser(aUser)
    await start()
    await started()
    const { beforeSend } = sentry.init.mock.lastCall![0] as Options
    const answered = errorOfAnswer(refusal(500)(), '')
    expect(answered).toBeInstanceOf(ApiError)
    expect(beforeSend({}, { originalException: answered })).toBeNull()
    expect(beforeSend({ message: '/pwdReset/secret' }, {})).toEqual({ message: '/pwdReset/:token' })
  })

  it('records nobody who is not signed in', async () => {
    rememberUser(aUser)
    await start()
    await started()
    forgetUser()
    await vi.waitFor(() => expect(sentry.replay.stop).toHaveBeenCalledOnce())
    expect(sentry.setUser).toHaveBeenLastCalledWith(null)
    rememberUser(aUser)
    await vi.waitFor(() => {
      const { start, startBuffering } = sentry.replay
      expect(start.mock.calls.length + startBuffering.mock.calls.length).toBe(1)
    })
  })
})

it('traces to this host and localhost, and to no other', () => {
  const targets = tracedAddresses('https://atrium.example')
  const traced = (address: string) => targets.some((target) => target.test(address))
  expect(traced('https://atrium.example/api/v1/envs')).toBe(true)
  expect(traced('http://localhost:8080/api/v1/envs')).toBe(true)
  expect(traced('/api/v1/envs')).toBe(true)
  for (const other of [
    'https://atrium.example.evil/',
    'https://evil/?localhost',
    '//evil/',
    'http://localhost.evil/',
  ]) {
    expect(traced(other)).toBe(false)
  }
})
