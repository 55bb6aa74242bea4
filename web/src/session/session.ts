/**
 * What is known at start-up and about the signed-in user. The query cache makes every load run
 * once.
 */
import { currentUserQuery, type User } from '../api/account'
import { appQuery } from '../api/app'
import { environmentQuery, regionsQuery } from '../api/environment'
import { isUnauthorized } from '../api/errors'
import { queryClient } from '../api/queryClient'
import { parseQuery, queryText } from '../lib/query'
import { browser } from '../lib/navigation'
import { QUICK_START } from '../paths'
import { appEntryDestination } from './appEntry'
import { safeDestination, type Destination } from './destination'

/** Loads environment and regions. Fails without the environment; regions have a safe default. */
export async function startUp(): Promise<void> {
  await Promise.all([
    queryClient.ensureQueryData(environmentQuery),
    queryClient.ensureQueryData(regionsQuery).catch(() => undefined),
  ])
}

export function loadUser(): Promise<User> {
  return queryClient.ensureQueryData(currentUserQuery)
}

/** Asks the server again; on failure, the old answer stays. */
export function reloadUser(): Promise<User> {
  return queryClient.fetchQuery({ ...currentUserQuery, staleTime: 0 })
}

/** Whether the server has just said that nobody is signed in. */
export function isKnownSignedOut(): boolean {
  const state = queryClient.getQueryState(currentUserQuery.queryKey)
  return state?.status === 'error' && isUnauthorized(state.error)
}

export function rememberUser(user: User): void {
  queryClient.setQueryData(currentUserQuery.queryKey, user)
}

/** Drops the user and everything loaded for them. Public data stays. */
export function forgetUser(): void {
  const shared = new Set([environmentQuery.queryKey[0], regionsQuery.queryKey[0]] as unknown[])
  queryClient.removeQueries({ predicate: (query) => !shared.has(query.queryKey[0]) })
}

/** Where to go once the user is known: the URL's safe `redirect`, else their app. */
export function destinationFor(user: User, search: string): Destination {
  const requested = queryText(parseQuery(search), 'redirect')
  return (
    safeDestination(requested, trustedPlaces()) ??
    appEntryDestination(user.last_app, landingPage(user))
  )
}

/** An app known to have no data yet opens at its quick start, as its workspace would do. */
function landingPage({ last_app }: User): string {
  const app = last_app && queryClient.getQueryData(appQuery(last_app.app_id).queryKey)
  return app?.has_events === false && app.status === 'active' ? QUICK_START : ''
}

/**
 * If the user's app is already loading, waits for it: whether it has data decides where it opens.
 * Otherwise doesn't wait.
 */
export async function opening({ last_app }: User): Promise<void> {
  const app = last_app && appQuery(last_app.app_id)
  if (app && queryClient.getQueryState(app.queryKey)?.fetchStatus === 'fetching') {
    await queryClient.ensureQueryData(app).catch(() => undefined)
  }
}

function trustedPlaces() {
  const regions = queryClient.getQueryData(regionsQuery.queryKey)
  const endpoints = [...(regions?.values() ?? [])].map((region) => region.endpoint)
  return { origin: browser.origin(), endpoints }
}
