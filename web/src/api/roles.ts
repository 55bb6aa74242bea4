/** The roles of an app and the permissions they are made of. Names come in the language on screen. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http } from './client'
import type { components } from './schema'

export type Permission = components['schemas']['PermissionView']
export type PermissionGroup = components['schemas']['PermissionGroup']
/** Only built-in ones have a `key`. */
export type Role = components['schemas']['RoleView']
export type RoleDraft = Required<Pick<Role, 'name' | 'description' | 'permissions'>>

/** Those that an app's role can hold, in the groups and the order of the server's registry. */
export function appPermissionsQuery(language: string) {
  return queryOptions({
    queryKey: ['permissions', language],
    queryFn: async (): Promise<PermissionGroup[]> => {
      const { groups } = await call(http.GET('/permissions'))
      return groups.filter((group) => group.scope === 'app')
    },
    // Changes with the server's version only.
    staleTime: Infinity,
    // While another language is on its way.
    placeholderData: keepPreviousData,
  })
}

/** Built-in ones first, then those of the app by name. There are never enough of them for pages. */
export function rolesQuery(appId: string, language: string) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'roles', language],
    queryFn: async (): Promise<Role[]> =>
      (await call(http.GET('/apps/{id}/roles', { params: { path: { id: appId } } }))).items,
    placeholderData: keepPreviousData,
  })
}

export function createRole(appId: string, body: RoleDraft): Promise<Role> {
  return call(http.POST('/apps/{id}/roles', { params: { path: { id: appId } }, body }))
}

export function updateRole(appId: string, roleId: string, body: RoleDraft): Promise<Role> {
  const path = { id: appId, role_id: roleId }
  return call(http.PUT('/apps/{id}/roles/{role_id}', { params: { path }, body }))
}

/** Whoever holds it gets the replacement, at once. */
export function deleteRole(appId: string, roleId: string, replacement?: string): Promise<unknown> {
  const path = { id: appId, role_id: roleId }
  return call(
    http.DELETE('/apps/{id}/roles/{role_id}', { params: { path, query: { replacement } } }),
  )
}
