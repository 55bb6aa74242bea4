/** The call of an app's workspace that belongs to no page of it. */
import { call, http, UNASKED } from './client'

/** Where the person lands next time. Nothing on screen hangs on it. */
export function rememberApp(appId: string): Promise<unknown> {
  const body = { app_id: appId }
  // Also when the page is left meanwhile.
  const told = http.PUT('/current/last-app', { body, keepalive: true })
  return call(told, UNASKED)
}
