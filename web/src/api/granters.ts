/** Who could grant the access that was refused. Supplementary, so a failure doesn't matter. */
import { queryOptions } from '@tanstack/react-query'
import type { App } from './app'
import { call, http, UNASKED } from './client'
import type { OrgMember } from './orgs'

export interface Granters {
  /** The refused app, if the user may at least see its name. */
  app: App | null
  /** The people who run the team, owners first. */
  people: OrgMember[]
}

const ASKED_FOR = 20

/** `orgId` comes from the URL or from the app. */
export function grantersQuery(appId: string | null, orgId: string | null) {
  return queryOptions({
    queryKey: ['granters', appId, orgId],
    queryFn: async (): Promise<Granters> => {
      const app = appId ? await appOf(appId) : null
      const team = app?.org_id ?? orgId
      return { app, people: team ? await managersOf(team) : [] }
    },
    retry: false,
  })
}

function appOf(id: string): Promise<App | null> {
  return call(http.GET('/apps/{id}', { params: { path: { id } } }), UNASKED).catch(() => null)
}

async function managersOf(id: string): Promise<OrgMember[]> {
  const query = { page: 1, page_size: ASKED_FOR, sort: 'role', order: 'asc' } as const
  const asked = http.GET('/orgs/{id}/members', { params: { path: { id }, query } })
  const { items } = await call(asked, UNASKED).catch(() => ({ items: [] }))
  return items.filter(({ role }) => role !== 'member')
}

/** A permission's name in the current language. */
export function permissionNameQuery(code: string | null, language: string) {
  return queryOptions({
    queryKey: ['permission', code, language],
    queryFn: async (): Promise<string | null> => {
      const { groups } = await call(http.GET('/permissions'), UNASKED)
      const all = groups.flatMap(({ permissions }) => permissions)
      return all.find((permission) => permission.code === code)?.name ?? null
    },
    enabled: code !== null,
    staleTime: Infinity,
    retry: false,
  })
}
