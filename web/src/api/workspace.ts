/** What the calls of an app's workspace have in common, and the one that belongs to no page of it. */
import { call, http, type CallOptions } from './client'

/** Shown where it happened, see profile.ts. */
export const IN_PLACE: CallOptions = { ignoreErrors: true }

/** Where the person lands next time. Nothing on screen hangs on it. */
export function rememberApp(appId: string): Promise<unknown> {
  const body = { app_id: appId }
  return call(http.PUT('/current/last-app', { body }), { ignoreErrors: true, handles401: true })
}
