/**
 * Single sign-on: signing in through a team's provider, linking an account to it, and its settings.
 */
import { queryOptions } from '@tanstack/react-query'
import { call, http, type CallOptions } from './client'
import type { components } from './schema'

type Schemas = components['schemas']

/** An email address, whose domain decides, or a known team. */
export type SsoWho = { email: string } | { organization: string }

/** A link waiting for the existing account's approval. */
export type SsoLink = Schemas['SsoLinkView']
export type SsoDomain = Schemas['SsoDomain']
export type SsoRole = Schemas['DefaultRole']
export type SsoSettings = Schemas['SsoView']
export type SsoChange = Schemas['SsoUpdate']
export type SsoTest = Schemas['SsoTestView']
export type SsoTestStep = Schemas['TestStep']

const IN_FORM: CallOptions = { handles401: true }

/** The provider's URL for the browser. `redirect` is where to go afterwards. */
export async function startSso(who: SsoWho, redirect?: string): Promise<string> {
  const answer = http.POST('/sso/login', { body: { ...who, redirect } })
  return (await call(answer, IN_FORM)).redirect_url
}

export const ssoLinkQuery = queryOptions({
  queryKey: ['sso-link'],
  queryFn: (): Promise<SsoLink> => call(http.GET('/current/sso-link')),
  staleTime: 0,
  gcTime: 0,
  retry: false,
})

export function acceptSsoLink(): Promise<{ org_id: string }> {
  return call(http.POST('/current/sso-link'))
}

export function ssoQuery(orgId: string) {
  return queryOptions({
    queryKey: ['org', orgId, 'sso'],
    queryFn: (): Promise<SsoSettings> => call(http.GET('/orgs/{id}/sso', inOrg(orgId))),
    // A form starts from it, so it must match what is stored now.
    staleTime: 0,
    gcTime: 0,
  })
}

export function saveSso(orgId: string, body: SsoChange): Promise<SsoSettings> {
  return call(http.PUT('/orgs/{id}/sso', { ...inOrg(orgId), body }))
}

export function removeSso(orgId: string): Promise<unknown> {
  return call(http.DELETE('/orgs/{id}/sso', inOrg(orgId)))
}

/** Omitted fields use the stored settings. */
export function testSso(orgId: string, body: Schemas['SsoTest']): Promise<SsoTest> {
  return call(http.POST('/orgs/{id}/sso/test', { ...inOrg(orgId), body }))
}

export function addSsoDomain(orgId: string, domain: string): Promise<SsoDomain> {
  const body = { domain }
  return call(http.POST('/orgs/{id}/sso/domains', { ...inOrg(orgId), body }))
}

export function removeSsoDomain(orgId: string, domain: string): Promise<unknown> {
  return call(http.DELETE('/orgs/{id}/sso/domains/{domain}', ofDomain(orgId, domain)))
}

/** Looks for the record in the domain's DNS. */
export function verifySsoDomain(orgId: string, domain: string): Promise<SsoDomain> {
  const where = ofDomain(orgId, domain)
  return call(http.POST('/orgs/{id}/sso/domains/{domain}/verify', where))
}

const inOrg = (id: string) => ({ params: { path: { id } } })
const ofDomain = (id: string, domain: string) => ({ params: { path: { id, domain } } })
