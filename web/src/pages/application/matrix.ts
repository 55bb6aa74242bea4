/** The role matrix: its rows, and which of them match a search. */
import type { Permission, PermissionGroup, Role } from '../../api/roles'

interface MatrixRow extends Permission {
  /** One per role, in the same order. */
  held: boolean[]
}

export interface MatrixGroup {
  key: string
  name: string
  rows: MatrixRow[]
}

/** In the registry's order, without groups that have no match. */
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

/** By code, name, or description; a group's name matches everything in it. */
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
