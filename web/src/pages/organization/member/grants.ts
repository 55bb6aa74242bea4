import type { AppGrant } from '../../../api/invitations'

/** An app and a role in it, as far as chosen. */
export type GrantDraft = Partial<AppGrant>

/** Ignores rows that were never filled in. */
export function completeGrants(drafts: GrantDraft[]): AppGrant[] {
  return drafts.filter((draft): draft is AppGrant => Boolean(draft.app_id && draft.role_id))
}

export function isHalfDone({ app_id, role_id }: GrantDraft): boolean {
  return Boolean(app_id) !== Boolean(role_id)
}
