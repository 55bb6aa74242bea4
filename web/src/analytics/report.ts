/** Reports the console's own page views and clicks, with the user's ID while signed in. */
import { init } from 'atrium-analytics'
import type { RouteObject } from 'react-router'
import { currentUserQuery } from '../api/account'
import type { Environment } from '../api/environment'
import { queryClient } from '../api/queryClient'
import { patternOf } from './pattern'

type Settings = NonNullable<Environment['analytics']>

export function report({ url, app_key }: Settings, routes: RouteObject[]): void {
  let userId = signedIn()
  const client = init({
    url,
    appKey: app_key,
    clientVersion: import.meta.env.BASE_URL.replaceAll('/', ''),
    userId: userId ?? undefined,
    // Read from window.location: the router learns of a new URL only after the SDK does.
    path: () => patternOf(routes, window.location.pathname),
  })

  queryClient.getQueryCache().subscribe(({ query }) => {
    if ((query.queryKey as unknown[])[0] !== currentUserQuery.queryKey[0] || userId === signedIn())
      return
    userId = signedIn()
    client.setUserId(userId)
  })
}

function signedIn(): string | null {
  return queryClient.getQueryData(currentUserQuery.queryKey)?.id ?? null
}
