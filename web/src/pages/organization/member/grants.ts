import type { AppGrant } from '../../../api/invitations'

/** An app and a role in it, as far as they are chosen. */
export type GrantDraft = Partial<AppGrant>

/** Rows that were added and never touched mean nothing. */
export function completeGrants(drafts: GrantDraft[]): AppGrant[] {
  return drafts.filter((draft): draft is AppGrant => Boolean(draft.app_id && draft.role_id))
}

export function isHalfDone({ app_id, role_id }: GrantDraft): boolean {
  return Boolean(app_id) !== Boolean(role_id)
}
