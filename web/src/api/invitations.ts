/** Invitations, from the sending team's side and the recipient's. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, http } from './client'
import type { ListParams, Org, OrgRole, Page } from './orgs'
import type { components } from './schema'

export type Invitation = components['schemas']['InvitationView']
export type AppGrant = components['schemas']['AppGrant']
export type InvitationResult = components['schemas']['InvitationResult']
/** One that the signed-in user received. */
export type MyInvitation = components['schemas']['MyInvitation']
/** A team with an owner at the user's own email domain. */
export type JoinableOrg = components['schemas']['JoinableOrg']

export const MOST_ADDRESSES = 50

export const invitationsOf = (orgId: string) => ({ queryKey: ['org', orgId, 'invitations'] })

/** Without a state: pending and expired ones. */
export function invitationsQuery(orgId: string, params: ListParams, language: string) {
  return queryOptions({
    // Names of built-in roles come in the current language.
    queryKey: [...invitationsOf(orgId).queryKey, params, language],
    queryFn: (): Promise<Page<Invitation>> =>
      call(http.GET('/orgs/{id}/invitations', { params: { path: { id: orgId }, query: params } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

export async function invite(
  orgId: string,
  body: { emails: string[]; role: OrgRole; apps?: AppGrant[] },
): Promise<InvitationResult[]> {
  const answer = await call(
    http.POST('/orgs/{id}/invitations', { params: { path: { id: orgId } }, body }),
  )
  return answer.results
}

export function revokeInvitation(orgId: string, id: string): Promise<unknown> {
  const path = { id: orgId, inv_id: id }
  return call(http.DELETE('/orgs/{id}/invitations/{inv_id}', { params: { path } }))
}

/** Restarts the seven days. */
export function resendInvitation(orgId: string, id: string): Promise<Invitation> {
  const path = { id: orgId, inv_id: id }
  return call(http.POST('/orgs/{id}/invitations/{inv_id}/resend', { params: { path } }))
}

/** A new link to share manually, in case no email arrives; earlier links stop working. */
export function invitationLink(
  orgId: string,
  id: string,
): Promise<components['schemas']['InvitationLink']> {
  const path = { id: orgId, inv_id: id }
  return call(http.POST('/orgs/{id}/invitations/{inv_id}/link', { params: { path } }))
}

export const myInvitationsQuery = queryOptions({
  queryKey: ['my-invitations'],
  queryFn: async (): Promise<MyInvitation[]> =>
    (await call(http.GET('/current/invitations'))).items,
  staleTime: 0,
})

export function acceptInvitation(id: string): Promise<Org> {
  return call(http.POST('/invitations/{id}/accept', { params: { path: { id } } }))
}

export function declineInvitation(id: string): Promise<unknown> {
  return call(http.POST('/invitations/{id}/decline', { params: { path: { id } } }))
}

export const joinableOrgsQuery = queryOptions({
  queryKey: ['joinable-orgs'],
  queryFn: async (): Promise<JoinableOrg[]> =>
    (await call(http.GET('/current/joinable-orgs'))).items,
  staleTime: 0,
})

/** Notifies the team's owners, at most once a day. */
export function askToJoin(orgId: string, message?: string): Promise<unknown> {
  const body = { message: message || undefined }
  return call(http.POST('/orgs/{id}/access-requests', { params: { path: { id: orgId } }, body }))
}
