/**
 * Reports a single error without the reporting client, which weighs more than the sign-in page,
 * while nobody is signed in. Loaded when there is something to report; sends no cookie and records
 * nothing.
 */
import type { RouteObject } from 'react-router'
import type { Environment } from '../api/environment'
import type { Mishap } from './early'
import { Scrubber } from './scrub'

export interface Teller {
  settings: NonNullable<Environment['error_reporting']>
  environment: string
  routes: RouteObject[]
}

const MOST_FRAMES = 50

export async function tellAnonymously(mishap: Mishap, teller: Teller): Promise<void> {
  const { settings, environment, routes } = teller
  const scrubber = new Scrubber(routes)
  const event_id = randomId()
  const event = scrubber.all({
    event_id,
    timestamp: Date.now() / 1000,
    platform: 'javascript',
    level: 'error',
    release: import.meta.env.BASE_URL.replaceAll('/', ''),
    environment,
    exception: { values: [exceptionOf(mishap.error)] },
    contexts: mishap.componentStack ? { react: { componentStack: mishap.componentStack } } : {},
  })
  const lines = [
    { event_id, sent_at: new Date().toISOString(), dsn: settings.dsn },
    { type: 'event' },
    // Already a pattern; scrubbing it again would break it.
    { ...event, transaction: scrubber.pattern(mishap.path) },
  ]
  await window.fetch(settings.tunnel, {
    method: 'POST',
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
    headers: { 'content-type': 'application/x-sentry-envelope' },
    credentials: 'omit',
    // The user may leave the page because of the error.
    keepalive: true,
  })
}

function exceptionOf(error: unknown) {
  if (!(error instanceof Error)) return { type: 'Error', value: String(error) }
  const { name: type, message: value, stack = '' } = error
  return { type, value, stacktrace: { frames: framesOf(stack) } }
}

/** "at name (address:1:2)" in Chromium, "name@address:1:2" in Firefox and Safari. */
const FRAME =
  /^\s*(?:at (?:async )?(?:(.*?) \()?|(.*?)@)((?:https?:\/\/|\/)[^\s()]*?):(\d+):(\d+)\)?$/

/** Outermost call first, as collectors expect. */
export function framesOf(stack: string) {
  return stack
    .split('\n')
    .flatMap((line) => {
      const [, ours, theirs, filename, lineno, colno] = FRAME.exec(line) ?? []
      if (!filename) return []
      const name = ours ?? theirs
      return [{ function: name || '?', filename, lineno: Number(lineno), colno: Number(colno) }]
    })
    .slice(0, MOST_FRAMES)
    .reverse()
}

/** `randomUUID` is missing on pages without TLS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
