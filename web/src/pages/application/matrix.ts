/** Roles against permissions: which rows the matrix has, and which of them a search leaves. */
import type { Permission, PermissionGroup, Role } from '../../api/roles'

interface MatrixRow extends Permission {
  /** One for each role, in the order of the roles. */
  held: boolean[]
}

export interface MatrixGroup {
  key: string
  name: string
  rows: MatrixRow[]
}

/** In the order of the registry; groups of which the search leaves nothing are left out. */
export function matrixOf(groups: PermissionGroup[], roles: Role[], search = ''): MatrixGroup[] {
  const sets = roles.map(({ permissions }) => new Set(permissions))
  return searchGroups(groups, search).map(({ key, name, permissions }) => ({
    key,
    name,
    rows: permissions.map((permission) => ({
      ...permission,
      held: sets.map((set) => set.has(permission.code)),
    })),
  }))
}

/** By code, name or description; the name of a group stands for all of it. */
export function searchGroups(groups: PermissionGroup[], search: string): PermissionGroup[] {
  const words = wordsOf(search)
  return groups.flatMap((group) => {
    const permissions = group.permissions.filter(({ code, name, description }) =>
      hasAll(`${group.name} ${code} ${name} ${description}`, words),
    )
    return permissions.length > 0 ? [{ ...group, permissions }] : []
  })
}

export function wordsOf(search: string): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean)
}

export function hasAll(text: string, words: string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}
