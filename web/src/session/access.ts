/** What the person may do in an app, and why something is out of their reach. */
import type { App } from '../api/app'
import type { Role } from '../api/roles'
import type { components } from '../api/schema'

export type PermissionCode = components['schemas']['Permission']
/** Those about a team; all others are about an app. */
export type OrgPermission = Extract<PermissionCode, `org:${string}` | `org_${string}`>
export type AppPermission = Exclude<PermissionCode, OrgPermission>

/** Every role has it: whoever cannot see an app has no use for the rest. */
export const ALWAYS_HELD: AppPermission = 'app:view'

export interface Access {
  held: ReadonlySet<PermissionCode>
  /** The permission is held. */
  may: (permission: AppPermission) => boolean
  /** It is held and the app takes changes: an archived or deleted one is read-only. */
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

/** Nobody can hand out, or take away, more than they hold themselves. */
export function isWithin(
  held: ReadonlySet<PermissionCode>,
  { permissions }: Pick<Role, 'permissions'>,
) {
  return permissions.every((code) => held.has(code))
}

/** Why a permission cannot be switched in a role; null where it can. */
export function lockOf(
  code: PermissionCode,
  held: ReadonlySet<PermissionCode>,
): 'always' | 'beyond' | null {
  if (code === ALWAYS_HELD) return 'always'
  return held.has(code) ? null : 'beyond'
}
