/** Organizations (called teams in the console) and their members. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { DEFAULT_PAGE_SIZE } from '../lib/paging'
import { call, http, UNASKED } from './client'
import { byName } from '../lib/names'
import type { components } from './schema'

export type OrgRole = components['schemas']['OrgRole']
export const ORG_ROLES: OrgRole[] = ['owner', 'admin', 'member']

export type Org = components['schemas']['OrgView']
export type OrgMember = components['schemas']['OrgMember']
/** What removing a member would affect. */
export type MemberImpact = components['schemas']['RemovalImpact']
export interface ListParams {
  page: number
  page_size: number
  search?: string
  sort?: string
  order?: 'asc' | 'desc'
}
export interface Page<Item> {
  items: Item[]
  total: number
}

/** The user's organizations, as lists and individually; changing one invalidates all of them. */
export const allOrgs = { queryKey: ['orgs'] }

export function orgsQuery(params: ListParams) {
  return queryOptions({
    queryKey: [...allOrgs.queryKey, 'list', params],
    queryFn: (): Promise<Page<Org>> => call(http.GET('/orgs', { params: { query: params } })),
    // Long enough for the page to reuse what was prefetched for it.
    staleTime: 2_000,
    placeholderData: keepPreviousData,
  })
}

/** The list as it first opens. */
export const firstOrgsQuery = orgsQuery({ page: 1, page_size: DEFAULT_PAGE_SIZE })

/** For pickers: as many as fit in one response. */
export const orgChoicesQuery = queryOptions({
  queryKey: [...allOrgs.queryKey, 'choices'],
  queryFn: async (): Promise<Org[]> => {
    const query = { page: 1, page_size: 100, sort: 'name', order: 'asc' }
    // The server can't sort by pinyin, but all teams are here.
    return (await call(http.GET('/orgs', { params: { query } }), UNASKED)).items.toSorted(byName)
  },
})

export function orgQuery(id: string) {
  return queryOptions({
    queryKey: [...allOrgs.queryKey, 'one', id],
    queryFn: (): Promise<Org> => call(http.GET('/orgs/{id}', { params: { path: { id } } })),
  })
}

export function createOrg(body: { name: string; timezone: string }): Promise<Org> {
  return call(http.POST('/orgs', { body }))
}

export function updateOrg(id: string, body: components['schemas']['OrgUpdateBody']): Promise<Org> {
  return call(http.PUT('/orgs/{id}', { params: { path: { id } }, body }))
}

/** `name` is the organization's name as the user typed it. */
export function deleteOrg(id: string, name: string): Promise<unknown> {
  return call(http.DELETE('/orgs/{id}', { params: { path: { id } }, body: { name } }))
}

export function leaveOrg(id: string): Promise<unknown> {
  return call(http.POST('/orgs/{id}/leave', { params: { path: { id } } }))
}

/** The other person becomes owner, the user an admin. */
export function transferOrg(id: string, userId: string): Promise<unknown> {
  const body = { user_id: userId }
  return call(http.POST('/orgs/{id}/transfer', { params: { path: { id } }, body }))
}

/** All lists of an organization's members. */
export const membersOf = (orgId: string) => ({ queryKey: ['org', orgId, 'members'] })

export function membersQuery(orgId: string, params: ListParams & { role?: OrgRole }) {
  return queryOptions({
    queryKey: [...membersOf(orgId).queryKey, 'list', params],
    queryFn: (): Promise<Page<OrgMember>> =>
      call(http.GET('/orgs/{id}/members', { params: { path: { id: orgId }, query: params } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

export function memberImpactQuery(orgId: string, userId: string) {
  return queryOptions({
    queryKey: [...membersOf(orgId).queryKey, 'impact', userId],
    queryFn: (): Promise<MemberImpact> => {
      const path = { id: orgId, user_id: userId }
      return call(http.GET('/orgs/{id}/members/{user_id}/impact', { params: { path } }))
    },
    // People decide by these numbers, so they must be current.
    staleTime: 0,
    gcTime: 0,
  })
}

export function changeMember(orgId: string, userId: string, role: OrgRole): Promise<unknown> {
  const path = { id: orgId, user_id: userId }
  return call(http.PUT('/orgs/{id}/members/{user_id}', { params: { path }, body: { role } }))
}

/** Can disable the keys they created in the same step, before anyone uses one. */
export function removeMember(
  orgId: string,
  userId: string,
  disableKeys: boolean,
): Promise<unknown> {
  const path = { id: orgId, user_id: userId }
  const query = { disable_keys: disableKeys }
  return call(http.DELETE('/orgs/{id}/members/{user_id}', { params: { path, query } }))
}

/**
 * Ends sessions for this team only: the member must confirm their identity before acting in it
 * again.
 */
export function endMemberSessions(orgId: string, userId: string): Promise<unknown> {
  const path = { id: orgId, user_id: userId }
  return call(http.POST('/orgs/{id}/members/{user_id}/end-sessions', { params: { path } }))
}
