/** The application entry: where users land after signing in, and where "Open" on an app leads. */
import { currentUserQuery } from '../api/account'
import { queryClient } from '../api/queryClient'
import { browser, goTo } from '../lib/navigation'
import { paths } from '../paths'
import type { Destination } from './destination'

export interface EntryApp {
  org_id: string
  app_id: string
  /** The endpoint of the app's region. */
  endpoint: string
  /** In this instance's region: opened at the current origin, however the user reached it. */
  is_local: boolean
}

export interface EntryOptions {
  /** The name of a window or tab; this window if omitted. */
  target?: string
  /** A path below the entry, with a leading slash. */
  extra?: string
  replace?: boolean
}

/** Without an app to open, leads to the team's apps, where one can be created. */
export function appEntryDestination(app: EntryApp | null | undefined, extra = ''): Destination {
  if (!app) return { kind: 'internal', to: paths.teamApps() }
  const path = paths.appEntry(app.org_id, app.app_id, extra)
  const endpoint = app.endpoint.replace(/\/+$/, '')
  // An endpoint under a path on our own origin is a different program behind the same host.
  return app.is_local || endpoint === browser.origin()
    ? { kind: 'internal', to: path }
    : { kind: 'external', href: endpoint + path }
}

export function openAppEntry(app: EntryApp | null | undefined, options: EntryOptions = {}): void {
  const { target = '_self', extra, replace } = options
  const destination = appEntryDestination(app, extra)
  if (target === '_self') {
    if (app) noteOpened(app)
    return follow(destination, { replace })
  }
  browser.open(
    destination.kind === 'external' ? destination.href : browser.origin() + destination.to,
    target,
  )
}

/**
 * Sets the app as home right away: someone who moves on before it is on screen already means it.
 */
export function noteOpened({ org_id, app_id, endpoint, is_local }: EntryApp): void {
  queryClient.setQueryData(
    currentUserQuery.queryKey,
    (user) => user && { ...user, last_app: { org_id, app_id, endpoint, is_local } },
  )
}

export function follow(destination: Destination, options: { replace?: boolean } = {}): void {
  if (destination.kind === 'internal') return goTo(destination.to, options)
  if (options.replace) browser.replace(destination.href)
  else browser.assign(destination.href)
}
