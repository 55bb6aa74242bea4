/** What the person may do in an app, and why something is out of their reach. */
import type { App } from '../api/app'
import type { Role } from '../api/roles'

/** The permissions that these pages ask about; the server's registry holds the rest. */
export type AppPermission =
  | 'app:view'
  | 'app:update'
  | 'app:archive'
  | 'app:delete'
  | 'member:view'
  | 'member:manage'
  | 'role:view'
  | 'role:manage'
  | 'key:view'
  | 'key:reveal'
  | 'key:manage'
  | 'dashboard:view'
  | 'event:view'
  | 'event:export'
  | 'live:view'
  | 'profile:view'
  | 'profile:pii'
  | 'query:run'
  | 'metadata:view'
  | 'metadata:manage'
  | 'audit:view'
  | 'audit:export'

/** Every role has it: whoever cannot see an app has no use for the rest. */
export const ALWAYS_HELD = 'app:view'

export interface Access {
  held: ReadonlySet<string>
  /** The permission is held. */
  may: (permission: AppPermission) => boolean
  /** It is held and the app takes changes: an archived or deleted one is read-only. */
  mayChange: (permission: AppPermission) => boolean
}

export function accessTo({ status }: App, permissions: readonly string[]): Access {
  const held = new Set(permissions)
  return {
    held,
    may: (permission) => held.has(permission),
    mayChange: (permission) => status === 'active' && held.has(permission),
  }
}

/** Nobody can hand out, or take away, more than they hold themselves. */
export function isWithin(held: ReadonlySet<string>, { permissions }: Pick<Role, 'permissions'>) {
  return permissions.every((code) => held.has(code))
}

/** Why a permission cannot be switched in a role; null where it can. */
export function lockOf(code: string, held: ReadonlySet<string>): 'always' | 'beyond' | null {
  if (code === ALWAYS_HELD) return 'always'
  return held.has(code) ? null : 'beyond'
}
