/** One app: what it is, what the user may do in it, and how it is archived or deleted. */
import { queryOptions } from '@tanstack/react-query'
import { call, http } from './client'
import type { components } from './schema'

export type App = components['schemas']['AppView']
/** The user's own role in the app. Team owners and admins need none. */
export type OwnRole = components['schemas']['MyRole']
/** What archiving or deleting would affect. */
export type AppImpact = components['schemas']['AppImpact']

/** The root key for everything about one app, including its members and roles. */
export const everythingOf = (appId: string) => ({ queryKey: ['app', appId] })

export function appQuery(id: string) {
  return queryOptions({
    queryKey: [...everythingOf(id).queryKey, 'view'],
    queryFn: (): Promise<App> => call(http.GET('/apps/{id}', { params: { path: { id } } })),
  })
}

/** The role's name comes in the current language. */
export function ownRoleQuery(id: string, language: string) {
  return queryOptions({
    queryKey: [...everythingOf(id).queryKey, 'own-role', language],
    queryFn: (): Promise<OwnRole> =>
      call(http.GET('/apps/{id}/role', { params: { path: { id } } })),
    // Keep the old role while the language switches, so the page and any input in it don't
    // disappear. Never keep a role in a different app, though.
    placeholderData: (previous: OwnRole | undefined, query?: { queryKey: readonly unknown[] }) =>
      query?.queryKey[1] === id ? previous : undefined,
  })
}

export function updateApp(
  id: string,
  body: { name?: string; description?: string; timezone?: string; retention_days?: number | null },
): Promise<App> {
  return call(http.PUT('/apps/{id}', { params: { path: { id } }, body }))
}

export function archiveApp(id: string): Promise<App> {
  return call(http.POST('/apps/{id}/archive', { params: { path: { id } } }))
}

export function unarchiveApp(id: string): Promise<App> {
  return call(http.POST('/apps/{id}/unarchive', { params: { path: { id } } }))
}

/** `name` is the app's name as the user typed it. */
export function deleteApp(id: string, name: string): Promise<App> {
  return call(http.DELETE('/apps/{id}', { params: { path: { id } }, body: { name } }))
}

export function restoreApp(id: string): Promise<App> {
  return call(http.POST('/apps/{id}/restore', { params: { path: { id } } }))
}

export function appImpactQuery(id: string) {
  return queryOptions({
    queryKey: [...everythingOf(id).queryKey, 'impact'],
    queryFn: (): Promise<AppImpact> =>
      call(http.GET('/apps/{id}/impact', { params: { path: { id } } })),
    // People decide by these numbers, so they must be current.
    staleTime: 0,
    gcTime: 0,
  })
}
