/**
 * Apps and people by name in the user's teams, and events of the current or last app. The server
 * returns only what the user may see.
 */
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { appQuery, everythingOf } from '../../api/app'
import { appsQuery, type App } from '../../api/apps'
import { call, http, UNASKED } from '../../api/client'
import { eventsQuery } from '../../api/catalog'
import { membersQuery, type Org } from '../../api/orgs'
import { isolated } from '../../lib/bidi'
import { goTo } from '../../lib/navigation'
import { paths } from '../../paths'
import { openAppEntry } from '../../session/appEntry'
import { useUser } from '../../session/useUser'
import type { Entry, Surroundings } from './entries'

/** How many teams to search, and how many results to take from each. */
const MOST_TEAMS = 5
const MOST_EACH = 5
const MOST_RECENT = 3

interface Found {
  entries: Entry[]
  searching: boolean
}

export function useFound(orgs: Org[], search: string): Found {
  const asked = search === '' ? [] : orgs.slice(0, MOST_TEAMS)
  const params = { page: 1, page_size: MOST_EACH, search }
  const apps = useQueries({
    queries: asked.map(({ id }) => appsQuery(id, { ...params, status: 'active' })),
  })
  const people = useQueries({ queries: asked.map(({ id }) => membersQuery(id, params)) })
  return {
    entries: asked.flatMap((org, at) => [
      ...(apps[at]?.data?.items ?? []).map((app) => appEntry(app, org.name)),
      ...(people[at]?.data?.items ?? []).map(({ user_id, name, email }) => ({
        id: `person:${org.id}:${user_id}`,
        kind: 'person' as const,
        label: name,
        detail: asked.length > 1 ? `${email} · ${isolated(org.name)}` : email,
        run: () => goTo(paths.teamMembers({ org: org.id, search: email })),
      })),
    ]),
    searching: [...apps, ...people].some(({ isFetching }) => isFetching),
  }
}

/** The user didn't ask for this app, so failures stay silent. */
function lastAppQuery(id: string) {
  const asked = { params: { path: { id } } }
  return queryOptions({
    queryKey: [...everythingOf(id).queryKey, 'used last'],
    queryFn: (): Promise<App> => call(http.GET('/apps/{id}', asked), UNASKED),
  })
}

/** Searches one app only: the same name means something else in another. */
export function useFoundEvents(onScreen: Surroundings['app'], search: string): Found {
  const last = useUser()?.last_app
  const asks = search !== ''
  const lately = useQuery({
    ...lastAppQuery(last?.app_id ?? ''),
    enabled: asks && !onScreen && last?.is_local === true,
    retry: false,
  })
  const app = onScreen?.app ?? lately.data
  const held = onScreen?.held ?? lately.data?.permissions ?? []
  const params = { page: 1, page_size: MOST_EACH, search, status: 'visible' } as const
  const events = useQuery({
    ...eventsQuery(app?.id ?? '', { ...params, sort: 'events', order: 'desc' }),
    enabled: asks && app?.status !== 'deleted' && held.includes('event:view'),
  })
  return {
    entries: (asks && app && events.data ? events.data.items : []).map(({ event }) => ({
      id: `event:${app!.id}:${event}`,
      kind: 'event' as const,
      label: event,
      detail: app!.name,
      run: () => goTo(paths.workspace.events(app!, { event })),
    })),
    searching: lately.isFetching || events.isFetching,
  }
}

/** Recently chosen apps, each requested again because access may have been revoked. */
export function useRecentApps(recent: readonly string[], enabled: boolean): Entry[] {
  const ids = recent.flatMap((id) => (id.startsWith('app:') ? [id.slice('app:'.length)] : []))
  const apps = useQueries({
    queries: ids.slice(0, MOST_RECENT).map((id) => ({ ...appQuery(id), enabled, retry: false })),
  })
  return apps.flatMap(({ data, error }) =>
    data && !error && data.status === 'active' ? [appEntry(data)] : [],
  )
}

function appEntry({ id, name, org_id, endpoint, is_local }: App, detail?: string): Entry {
  return {
    id: `app:${id}`,
    kind: 'app',
    label: name,
    detail,
    run: () => openAppEntry({ org_id, app_id: id, endpoint, is_local }),
  }
}
