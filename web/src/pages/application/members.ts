/** Which rows of the member list are whose, and what is done to several of them. */
import type { AppMember } from '../../api/appMembers'
import { ApiError } from '../../api/errors'
import type { Role } from '../../api/roles'
import { isWithin, type PermissionCode } from '../../session/access'

/** Those who reach the app through the team come last, apart from the app's own members. */
export function ownMembersFirst(members: AppMember[]): AppMember[] {
  return [
    ...members.filter(({ via }) => via === 'app'),
    ...members.filter(({ via }) => via === 'organization'),
  ]
}

/** Owners and admins hold everything by the team; of the others only those who hold no more than we. */
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
  /** Those left as they were, each with the server's reason. */
  failed: { name: string; reason: string }[]
}

/** One after the other: each is a change of its own, and one refusal must not cost the rest. */
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
      // The session is over, or nothing is answered: the rest would fail alike.
      if (error.status === 401 || error.status === 0) break
    }
  }
  return outcome
}
