/** A role while it is being edited. */
import type { PermissionGroup, Role, RoleDraft } from '../../api/roles'
import { ALWAYS_HELD, lockOf } from '../../session/access'

export const DESCRIPTION_MAX = 300

export function draftOf(role: Role): RoleDraft {
  return { name: role.name, description: role.description, permissions: role.permissions }
}

export const NEW_ROLE: RoleDraft = { name: '', description: '', permissions: [ALWAYS_HELD] }

/** A copy keeps what its maker may hand out; the rest would be refused. */
export function copyOf(role: Role, name: string, held: ReadonlySet<string>): RoleDraft {
  const permissions = role.permissions.filter((code) => code === ALWAYS_HELD || held.has(code))
  return { name, description: role.description, permissions }
}

export function toggled(permissions: readonly string[], code: string, on: boolean): string[] {
  const others = permissions.filter((other) => other !== code)
  return on ? [...others, code] : others
}

/** All of a group that the person may switch, on or off; what is locked stays as it is. */
export function groupToggled(
  permissions: readonly string[],
  group: PermissionGroup,
  { on, held }: { on: boolean; held: ReadonlySet<string> },
): string[] {
  return switchable(group, held).reduce<string[]>(
    (changed, code) => toggled(changed, code, on),
    [...permissions],
  )
}

export function switchable({ permissions }: PermissionGroup, held: ReadonlySet<string>): string[] {
  return permissions.map(({ code }) => code).filter((code) => lockOf(code, held) === null)
}

export interface Change {
  gained: string[]
  lost: string[]
}

/** What the people who hold the role can do from now on, and what no more. */
export function changeBetween(before: readonly string[], after: readonly string[]): Change {
  return {
    gained: after.filter((code) => !before.includes(code)),
    lost: before.filter((code) => !after.includes(code)),
  }
}

/** In the order of the registry, so that switching a box off and on again changes nothing. */
export function inOrder(permissions: readonly string[], groups: PermissionGroup[]): string[] {
  const known = groups.flatMap((group) => group.permissions.map(({ code }) => code))
  const unknown = permissions.filter((code) => !known.includes(code))
  return [...known.filter((code) => permissions.includes(code)), ...unknown]
}
