/** How the editor tells the list what it has saved. Passed in the history state, see arrival.ts. */
export interface SavedRole {
  savedRole: string
}

export function savedRoleIn(state: unknown): string | null {
  if (typeof state !== 'object' || state === null) return null
  const { savedRole } = state as Partial<Record<keyof SavedRole, unknown>>
  return typeof savedRole === 'string' ? savedRole : null
}
