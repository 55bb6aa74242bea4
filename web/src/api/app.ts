/** One app: what it is, what the person may do in it, and the ends it can come to. */
import { queryOptions } from '@tanstack/react-query'
import { call, http } from './client'
import type { components } from './schema'

export type App = components['schemas']['AppView']
/** The person's own role in the app. Owners and admins of the team need none. */
export type OwnRole = components['schemas']['MyRole']
/** What archiving or deleting would hit. */
export type AppImpact = components['schemas']['AppImpact']

/** Everything that is known about one app: its people and roles hang below this key too. */
export const everythingOf = (appId: string) => ({ queryKey: ['app', appId] })

export function appQuery(id: string) {
  return queryOptions({
    queryKey: [...everythingOf(id).queryKey, 'view'],
    queryFn: (): Promise<App> => call(http.GET('/apps/{id}', { params: { path: { id } } })),
  })
}

/** The role's name comes in the language on screen. */
export function ownRoleQuery(id: string, language: string) {
  return queryOptions({
    queryKey: [...everythingOf(id).queryKey, 'own-role', language],
    queryFn: (): Promise<OwnRole> =>
      call(http.GET('/apps/{id}/role', { params: { path: { id } } })),
    // A switch of language must not take the page, and what is typed in it, away for a moment. What
    // is held in another app is no answer, though.
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

/** `name` is the app's, typed by the person. */
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
    // Numbers to decide by must be those of now.
    staleTime: 0,
    gcTime: 0,
  })
}
