/** A role while it is being edited. */
import type { PermissionGroup, Role, RoleDraft } from '../../api/roles'
import { ALWAYS_HELD, lockOf, type PermissionCode } from '../../session/access'

export const DESCRIPTION_MAX = 300

export function draftOf(role: Role): RoleDraft {
  return { name: role.name, description: role.description, permissions: role.permissions }
}

export const NEW_ROLE: RoleDraft = { name: '', description: '', permissions: [ALWAYS_HELD] }

/** A copy keeps only what its creator may grant; the server would refuse the rest. */
export function copyOf(role: Role, name: string, held: ReadonlySet<PermissionCode>): RoleDraft {
  const permissions = role.permissions.filter((code) => code === ALWAYS_HELD || held.has(code))
  return { name, description: role.description, permissions }
}

export function toggled(
  permissions: readonly PermissionCode[],
  code: PermissionCode,
  on: boolean,
): PermissionCode[] {
  const others = permissions.filter((other) => other !== code)
  return on ? [...others, code] : others
}

/** Toggles everything in a group that the user may change; locked permissions stay as they are. */
export function groupToggled(
  permissions: readonly PermissionCode[],
  group: PermissionGroup,
  { on, held }: { on: boolean; held: ReadonlySet<PermissionCode> },
): PermissionCode[] {
  return switchable(group, held).reduce<PermissionCode[]>(
    (changed, code) => toggled(changed, code, on),
    [...permissions],
  )
}

export function switchable(
  { permissions }: PermissionGroup,
  held: ReadonlySet<PermissionCode>,
): PermissionCode[] {
  return permissions.map(({ code }) => code).filter((code) => lockOf(code, held) === null)
}

export interface Change {
  gained: PermissionCode[]
  lost: PermissionCode[]
}

/** What members with this role gain and lose. */
export function changeBetween(
  before: readonly PermissionCode[],
  after: readonly PermissionCode[],
): Change {
  return {
    gained: after.filter((code) => !before.includes(code)),
    lost: before.filter((code) => !after.includes(code)),
  }
}

/** In the registry's order, so that toggling a box twice changes nothing. */
export function inOrder(
  permissions: readonly PermissionCode[],
  groups: PermissionGroup[],
): PermissionCode[] {
  const known = groups.flatMap((group) => group.permissions.map(({ code }) => code))
  const unknown = permissions.filter((code) => !known.includes(code))
  return [...known.filter((code) => permissions.includes(code)), ...unknown]
}
