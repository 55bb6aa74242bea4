/** Orders the member list, and applies changes to several members. */
import type { AppMember } from '../../api/appMembers'
import { ApiError } from '../../api/errors'
import type { Role } from '../../api/roles'
import { isWithin, type PermissionCode } from '../../session/access'

/** People who reach the app through the team come last, after the app's own members. */
export function ownMembersFirst(members: AppMember[]): AppMember[] {
  return [
    ...members.filter(({ via }) => via === 'app'),
    ...members.filter(({ via }) => via === 'organization'),
  ]
}

/**
 * Team owners and admins have all permissions; other members are editable only if they have no more
 * than the user.
 */
export function isEditable(
  member: AppMember,
  roles: Role[],
  held: ReadonlySet<PermissionCode>,
): boolean {
  if (member.via === 'organization') return false
  const role = roles.find(({ id }) => id === member.role?.id)
  return role !== undefined && isWithin(held, role)
}

export interface Outcome {
  done: number
  /** Members left unchanged, each with the server's reason. */
  failed: { name: string; reason: string }[]
}

/** One at a time: each is a separate change, and one refusal must not stop the rest. */
export async function forEachMember(
  members: AppMember[],
  change: (member: AppMember) => Promise<unknown>,
): Promise<Outcome> {
  const outcome: Outcome = { done: 0, failed: [] }
  for (const member of members) {
    try {
      await change(member)
      outcome.done += 1
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      outcome.failed.push({ name: member.name, reason: error.message })
      // The session ended or there is no connection: the rest would fail too.
      if (error.status === 401 || error.status === 0) break
    }
  }
  return outcome
}
