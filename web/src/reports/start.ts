/**
 * The console reports its own errors, where the instance says so. Until someone is signed in the
 * client is not loaded, so that the sign-in page stays light; a few errors are told without it.
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

/** Of pages that nobody is signed in on, and at most so many errors of one. */
export const STRANGERS_SAMPLED = 0.25
const STRANGERS_MOST = 3

export function startReports(routes: RouteObject[]): void {
  watchForErrors()
  // Whatever goes wrong with it is no business of the person's.
  afterFirstPaint(() => void followPeople(routes).catch(() => {}))
}

/**
 * Loads the client for the first person who is signed in, and tells it of everyone after. Answers
 * with the way to stop, which the console never does.
 */
export async function followPeople(routes: RouteObject[]): Promise<() => void> {
  const { error_reporting: settings, environment } =
    await queryClient.ensureQueryData(environmentQuery)
  if (!settings) return () => {}
  let reporter: Promise<Reporter> | null = null
  let followed: string | null = null
  const strangers = strangersReporter({ settings, environment, routes })

  const follow = () => {
    const userId = signedIn()
    // Someone who is just being asked for is no stranger yet.
    if (!isAsked()) tellStrangersMishaps(userId === null ? strangers : null)
    if (userId === followed) return
    followed = userId
    if (reporter) reporter.then(({ follow }) => follow(userId)).catch(() => {})
    else if (userId !== null) {
      reporter = import('./sentry').then(({ report }) =>
        report(settings, environment, routes, userId),
      )
      // One that did not arrive is asked for again with the next page.
      reporter.catch(() => {})
    }
  }
  const stop = queryClient.getQueryCache().subscribe(({ query }) => {
    if ((query.queryKey as unknown[])[0] === currentUserQuery.queryKey[0]) follow()
  })
  follow()
  return stop
}

function strangersReporter(teller: Teller): (mishap: Mishap) => boolean {
  const sampled = Math.random() < STRANGERS_SAMPLED
  let told = 0
  return (mishap) => {
    if (!sampled || told >= STRANGERS_MOST || !isOurs(mishap.error)) return false
    told += 1
    import('./anonymous')
      .then(({ tellAnonymously }) => tellAnonymously(mishap, teller))
      .catch(() => {})
    return true
  }
}

/** What the server answered is in its log, and some things are no mistake of anybody's. */
function isOurs(error: unknown): boolean {
  return !(error instanceof ApiError) && !NOISE.some((noise) => noise.test(String(error)))
}

function isAsked(): boolean {
  return queryClient.getQueryState(currentUserQuery.queryKey)?.fetchStatus === 'fetching'
}

function signedIn(): string | null {
  return queryClient.getQueryData(currentUserQuery.queryKey)?.id ?? null
}
