/**
 * Reports the console's own errors, if the instance enables it. The client loads only after
 * sign-in, to keep the sign-in page light; until then, a few errors are reported without it.
 */
import type { RouteObject } from 'react-router'
import { currentUserQuery } from '../api/account'
import { environmentQuery } from '../api/environment'
import { queryClient } from '../api/queryClient'
import { afterFirstPaint } from '../lib/idle'
import { ApiError } from '../api/errors'
import type { Teller } from './anonymous'
import { tellStrangersMishaps, watchForErrors, type Mishap } from './early'
import { NOISE } from './noise'
import type { Reporter } from './sentry'

/** The share of signed-out pages that report errors, and how many each may report. */
export const STRANGERS_SAMPLED = 0.25
const STRANGERS_MOST = 3

export function startReports(routes: RouteObject[]): void {
  watchForErrors()
  // A failure here is none of the user's business.
  afterFirstPaint(() => void followPeople(routes).catch(() => {}))
}

/**
 * Loads the client for the first signed-in user, and tells it of every later one. Returns a
 * function to stop, which only tests use.
 */
export async function followPeople(routes: RouteObject[]): Promise<() => void> {
  const { error_reporting: settings, environment } =
    await queryClient.ensureQueryData(environmentQuery)
  if (!settings) return () => {}
  let reporter: Promise<Reporter> | null = null
  let followed: string | null = null
  const reportAnonymously = anonymousReporter({ settings, environment, routes })

  const follow = () => {
    const userId = signedIn()
    // While the user is still loading, nobody counts as signed out.
    if (!isAsked()) tellStrangersMishaps(userId === null ? reportAnonymously : null)
    if (userId === followed) return
    followed = userId
    if (reporter) reporter.then(({ follow }) => follow(userId)).catch(() => {})
    else if (userId !== null) {
      reporter = import('./sentry').then(({ report }) =>
        report(settings, environment, routes, userId),
      )
      // If it fails to load, the next page tries again.
      reporter.catch(() => {})
    }
  }
  const stop = queryClient.getQueryCache().subscribe(({ query }) => {
    if ((query.queryKey as unknown[])[0] === currentUserQuery.queryKey[0]) follow()
  })
  follow()
  return stop
}

function anonymousReporter(teller: Teller): (mishap: Mishap) => boolean {
  const sampled = Math.random() < STRANGERS_SAMPLED
  let reported = 0
  return (mishap) => {
    if (!sampled || reported >= STRANGERS_MOST || !isOurs(mishap.error)) return false
    reported += 1
    import('./anonymous')
      .then(({ tellAnonymously }) => tellAnonymously(mishap, teller))
      .catch(() => {})
    return true
  }
}

/** Excludes server errors, which the server logs, and failures that are nobody's bug. */
function isOurs(error: unknown): boolean {
  return !(error instanceof ApiError) && !NOISE.some((noise) => noise.test(String(error)))
}

function isAsked(): boolean {
  return queryClient.getQueryState(currentUserQuery.queryKey)?.fetchStatus === 'fetching'
}

function signedIn(): string | null {
  return queryClient.getQueryData(currentUserQuery.queryKey)?.id ?? null
}
