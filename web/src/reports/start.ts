/**
 * The console reports its own errors, where the instance says so. Until someone is signed in nothing
 * of it is loaded: the sign-in page stays light.
 */
import type { RouteObject } from 'react-router'
import { currentUserQuery } from '../api/account'
import { environmentQuery } from '../api/environment'
import { queryClient } from '../api/queryClient'
import { afterFirstPaint } from '../lib/idle'
import { watchForErrors } from './early'
import type { Reporter } from './sentry'

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

  const follow = () => {
    const userId = signedIn()
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
    if (query.queryKey[0] === currentUserQuery.queryKey[0]) follow()
  })
  follow()
  return stop
}

function signedIn(): string | null {
  return queryClient.getQueryData(currentUserQuery.queryKey)?.id ?? null
}
