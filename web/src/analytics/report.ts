/** Reports page views and clicks of this console, with the person's id while someone is signed in. */
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
    // Read from the address: the router learns of a new one only after the SDK does.
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
