/** The one call that belongs to an app's workspace as a whole rather than to a page. */
import { call, http, UNASKED } from './client'

/** Where the user lands next time. Nothing on screen depends on it. */
export function rememberApp(appId: string): Promise<unknown> {
  const body = { app_id: appId }
  // Continues even if the page is closed.
  const request = http.PUT('/current/last-app', { body, keepalive: true })
  return call(request, UNASKED)
}
