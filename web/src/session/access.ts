/** What the user may do in an app, and why something is unavailable. */
import type { App } from '../api/app'
import type { Role } from '../api/roles'
import type { components } from '../api/schema'

export type PermissionCode = components['schemas']['Permission']
/** Team permissions; all others are about an app. */
export type OrgPermission = Extract<PermissionCode, `org:${string}` | `org_${string}`>
export type AppPermission = Exclude<PermissionCode, OrgPermission>

/** Every role includes it: without seeing an app, other permissions are useless. */
export const ALWAYS_HELD: AppPermission = 'app:view'

export interface Access {
  held: ReadonlySet<PermissionCode>
  /** Whether the user has the permission. */
  may: (permission: AppPermission) => boolean
  /** Whether the user has the permission and the app isn't read-only (archived or deleted). */
  mayChange: (permission: AppPermission) => boolean
}

export function accessTo({ status }: App, permissions: readonly PermissionCode[]): Access {
  const held = new Set(permissions)
  return {
    held,
    may: (permission) => held.has(permission),
    mayChange: (permission) => status === 'active' && held.has(permission),
  }
}

/** Nobody can grant or revoke more than they hold themselves. */
export function isWithin(
  held: ReadonlySet<PermissionCode>,
  { permissions }: Pick<Role, 'permissions'>,
) {
  return permissions.every((code) => held.has(code))
}

/** Why a permission can't be toggled in a role; null if it can. */
export function lockOf(
  code: PermissionCode,
  held: ReadonlySet<PermissionCode>,
): 'always' | 'beyond' | null {
  if (code === ALWAYS_HELD) return 'always'
  return held.has(code) ? null : 'beyond'
}
