/** What actions are about: the beginnings of their names, as the server filters by them. */
export const ACTION_GROUPS = [
  'org',
  'org_member',
  'invitation',
  'app',
  'app_member',
  'role',
  'key',
  'access',
] as const
export type ActionGroup = (typeof ACTION_GROUPS)[number]

export const prefixOf = (group: ActionGroup) => `${group}.`
