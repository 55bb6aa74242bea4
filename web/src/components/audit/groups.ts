import type { AuditScope } from '../../api/audit'

/** What actions are about: the prefixes the server filters by. */
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

/** Nobody joins, leaves, or is invited within an app: those entries are the team's. */
const TEAM_ONLY: readonly ActionGroup[] = ['org', 'org_member', 'invitation']

export function groupsOf({ kind }: AuditScope): readonly ActionGroup[] {
  return kind === 'org'
    ? ACTION_GROUPS
    : ACTION_GROUPS.filter((group) => !TEAM_ONLY.includes(group))
}

export const prefixOf = (group: ActionGroup) => `${group}.`
