/**
 * An app's members: their roles, who could be added, and why each of them has their permissions.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http } from './client'
import type { components } from './schema'

/** `role` is null for people who reach the app through the team only. */
export type AppMember = components['schemas']['AppMember']
export type Candidate = components['schemas']['Candidate']
export type MemberAccess = components['schemas']['AccessExplained']
export type PermissionAccess = components['schemas']['ExplainedPermission']
export interface MemberListParams {
  page: number
  page_size: number
  search?: string
  sort?: string
  order?: 'asc' | 'desc'
  role_id?: string
}

const CANDIDATES_PER_PAGE = 20

const membersKey = (appId: string) => [...everythingOf(appId).queryKey, 'members']

export function appMembersQuery(appId: string, params: MemberListParams, language: string) {
  return queryOptions({
    queryKey: [...membersKey(appId), 'list', params, language],
    queryFn: () =>
      call(http.GET('/apps/{id}/members', { params: { path: { id: appId }, query: params } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** Team members who are not in the app yet. */
export function candidatesQuery(appId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: [...membersKey(appId), 'candidates', search],
    queryFn: ({ pageParam }) => {
      const query = { page: pageParam, page_size: CANDIDATES_PER_PAGE, search: search || undefined }
      return call(http.GET('/apps/{id}/candidates', { params: { path: { id: appId }, query } }))
    },
    initialPageParam: 1,
    getNextPageParam: (last, _pages, page) =>
      page * CANDIDATES_PER_PAGE < last.total ? page + 1 : undefined,
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** Returns how many were added. Existing members and people who left the team are skipped. */
export function addAppMembers(
  appId: string,
  body: { user_ids: string[]; role_id: string },
): Promise<{ added: number; skipped: number }> {
  return call(http.POST('/apps/{id}/members', { params: { path: { id: appId } }, body }))
}

export function changeAppMember(appId: string, userId: string, roleId: string): Promise<unknown> {
  const path = { id: appId, user_id: userId }
  const body = { role_id: roleId }
  return call(http.PUT('/apps/{id}/members/{user_id}', { params: { path }, body }))
}

export function removeAppMember(appId: string, userId: string): Promise<unknown> {
  const path = { id: appId, user_id: userId }
  return call(http.DELETE('/apps/{id}/members/{user_id}', { params: { path } }))
}

export function accessQuery(appId: string, userId: string, language: string) {
  return queryOptions({
    queryKey: [...membersKey(appId), 'access', userId, language],
    queryFn: (): Promise<MemberAccess> => {
      const path = { id: appId, user_id: userId }
      return call(http.GET('/apps/{id}/members/{user_id}/access', { params: { path } }))
    },
    staleTime: 0,
  })
}
