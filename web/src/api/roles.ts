/** An app's roles and the permissions they contain. Names come in the current language. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http } from './client'
import type { components } from './schema'

export type Permission = components['schemas']['PermissionView']
export type PermissionGroup = components['schemas']['PermissionGroup']
/** Only built-in roles have a `key`. */
export type Role = components['schemas']['RoleView']
export type RoleDraft = Required<Pick<Role, 'name' | 'description' | 'permissions'>>

/** The permissions an app's role can hold, grouped and ordered as on the server. */
export function appPermissionsQuery(language: string) {
  return queryOptions({
    queryKey: ['permissions', language],
    queryFn: async (): Promise<PermissionGroup[]> => {
      const { groups } = await call(http.GET('/permissions'))
      return groups.filter((group) => group.scope === 'app')
    },
    // Only changes with the server's version.
    staleTime: Infinity,
    // While another language loads.
    placeholderData: keepPreviousData,
  })
}

/** Built-in roles first, then the app's own by name. There are never enough to page. */
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

/** Members with this role get the replacement immediately. */
export function deleteRole(appId: string, roleId: string, replacement?: string): Promise<unknown> {
  const path = { id: appId, role_id: roleId }
  return call(
    http.DELETE('/apps/{id}/roles/{role_id}', { params: { path, query: { replacement } } }),
  )
}
