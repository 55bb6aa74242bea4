/**
 * The reporting client, with session replay. It is heavy, so only start.ts imports this file, after
 * sign-in. It sends to the instance itself; the server decides where reports go from there.
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

/** Not useful here: sessions aren't tracked, and URLs are reported as patterns. */
const LEFT_OUT = ['BrowserSession', 'HttpContext']

export interface Reporter {
  /** Called when someone signs in or out; while nobody is signed in, nothing is recorded. */
  follow: (userId: string | null) => void
}

export function report(
  settings: Settings,
  environment: string,
  routes: RouteObject[],
  userId: string,
): Reporter {
  const scrubber = new Scrubber(routes)
  // The client replaces window.fetch.
  const plainFetch = window.fetch.bind(window)
  const replay = replayIntegration({
    ...RECORDING,
    maskAllText: false,
    maskAllInputs: false,
    maskAttributes: [],
    blockAllMedia: false,
    block: SECRET,
    ignore: SECRET,
    // Its worker would need a blob: URL, which the content security policy blocks; the transport
    // compresses instead.
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
      // Only for the headers that link a report to the server's trace.
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
    // Server errors are in the server's own log.
    beforeSend: (event, { originalException }) =>
      originalException instanceof ApiError ? null : scrubber.all(event),
    transport: (options) => {
      const inner = makeFetchTransport(options, packing(plainFetch))
      return { ...inner, send: (envelope) => inner.send(scrubEnvelope(envelope, scrubber)) }
    },
  })?.addEventProcessor((event) => {
    const routePattern = event.contexts?.route?.pattern
    event.transaction =
      typeof routePattern === 'string' ? routePattern : scrubber.pattern(window.location.pathname)
    if ('urls' in event) event.urls = (event.urls as string[]).map((url) => scrubber.address(url))
    return event
  })
  setUser({ id: userId })
  tellMishaps((mishap) => tell(mishap, scrubber))

  return {
    follow(id) {
      setUser(id === null ? null : { id })
      // Sends what was recorded so far; nobody is recorded while signed out.
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

/**
 * Localhost and this page's own origin, which also hosts the API; no other host sees trace headers.
 */
export function tracedAddresses(origin: string): RegExp[] {
  const own = origin.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return [/^https?:\/\/localhost(:\d+)?(\/|$)/, new RegExp(`^${own}(/|$)`), /^\/(?!\/)/]
}
