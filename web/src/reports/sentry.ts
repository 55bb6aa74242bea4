/**
 * The reporting client, with what was on screen. It is heavy, so nothing imports this file but
 * start.ts, after sign-in. It sends to the instance itself; where reports go from there is the
 * server's business.
 */
import {
  browserTracingIntegration,
  captureException,
  captureReactException,
  getDefaultIntegrations,
  init,
  makeFetchTransport,
  replayIntegration,
  setUser,
} from '@sentry/react'
import type { RouteObject } from 'react-router'
import { ApiError } from '../api/errors'
import type { Environment } from '../api/environment'
import { tellMishaps, type Mishap } from './early'
import { NOISE } from './noise'
import { Scrubber, SECRET } from './scrub'
import { packing, scrubEnvelope } from './transport'

type Settings = NonNullable<Environment['error_reporting']>

const SESSIONS_RECORDED = 0.1
const ERRORS_RECORDED = 1
const RECORDING = {
  flushMinDelay: 1_000,
  flushMaxDelay: 5_000,
  minReplayDuration: 1_000,
  maxReplayDuration: 120_000,
  stickySession: true,
}

/** Of no use here: visits are not counted, and an address is told as a pattern. */
const LEFT_OUT = ['BrowserSession', 'HttpContext']

export interface Reporter {
  /** Someone signed in, or nobody is any more: then nothing is recorded. */
  follow: (userId: string | null) => void
}

export function report(
  settings: Settings,
  environment: string,
  routes: RouteObject[],
  userId: string,
): Reporter {
  const scrubber = new Scrubber(routes)
  // The client puts its own in place of it.
  const plainFetch = window.fetch.bind(window)
  const replay = replayIntegration({
    ...RECORDING,
    maskAllText: false,
    maskAllInputs: false,
    maskAttributes: [],
    blockAllMedia: false,
    block: SECRET,
    ignore: SECRET,
    // A worker of its own would be a blob: address, which the content security policy refuses; what
    // is sent is packed on the way instead.
    useCompression: false,
    networkCaptureBodies: false,
    beforeAddRecordingEvent: (event) => scrubber.all(event),
  })
  init({
    dsn: settings.dsn,
    tunnel: settings.tunnel,
    environment,
    release: import.meta.env.BASE_URL.replaceAll('/', ''),
    integrations: [
      ...getDefaultIntegrations({}).filter(({ name }) => !LEFT_OUT.includes(name)),
      // Only for the headers that lead from a report to the server's part in it.
      browserTracingIntegration({
        instrumentPageLoad: false,
        instrumentNavigation: false,
        enableInp: false,
        enableLongTask: false,
        enableLongAnimationFrame: false,
      }),
      replay,
    ],
    defaultIntegrations: false,
    tracePropagationTargets: tracedAddresses(window.location.origin),
    replaysSessionSampleRate: SESSIONS_RECORDED,
    replaysOnErrorSampleRate: ERRORS_RECORDED,
    sendClientReports: false,
    ignoreErrors: NOISE,
    beforeBreadcrumb: (crumb) => scrubber.all(crumb),
    // What the server answered is in its log.
    beforeSend: (event, { originalException }) =>
      originalException instanceof ApiError ? null : scrubber.all(event),
    transport: (options) => {
      const inner = makeFetchTransport(options, packing(plainFetch))
      return { ...inner, send: (envelope) => inner.send(scrubEnvelope(envelope, scrubber)) }
    },
  })?.addEventProcessor((event) => {
    const told = event.contexts?.route?.pattern
    event.transaction = typeof told === 'string' ? told : scrubber.pattern(window.location.pathname)
    if ('urls' in event) event.urls = (event.urls as string[]).map((url) => scrubber.address(url))
    return event
  })
  setUser({ id: userId })
  tellMishaps((mishap) => tell(mishap, scrubber))

  return {
    follow(id) {
      setUser(id === null ? null : { id })
      // What was seen so far is sent; nobody is looked at who is not signed in.
      if (id === null) void replay.stop()
      else if (Math.random() < SESSIONS_RECORDED) replay.start()
      else replay.startBuffering()
    },
  }
}

function tell({ error, path, componentStack }: Mishap, scrubber: Scrubber): void {
  const contexts = { route: { pattern: scrubber.pattern(path) } }
  if (componentStack)
    captureReactException(error, { componentStack }, { captureContext: { contexts } })
  else captureException(error, { captureContext: { contexts } })
}

/** Localhost, the host of this page and the API's, which are one: no other learns of a trace. */
export function tracedAddresses(origin: string): RegExp[] {
  const own = origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return [/^https?:\/\/localhost(:\d+)?(\/|$)/, new RegExp(`^${own}(/|$)`), /^\/(?!\/)/]
}
