/** Where any account is signed in, for operators. */
import { queryOptions } from '@tanstack/react-query'
import { call, http } from './client'
import type { components } from './schema'

export type AccountSessions = components['schemas']['AccountSessions']
export type AccountSession = components['schemas']['AccountSession']

export function accountSessionsQuery(email: string) {
  return queryOptions({
    queryKey: ['accountSessions', email],
    queryFn: (): Promise<AccountSessions> =>
      call(http.GET('/operator/sessions', { params: { query: { email } } })),
    // Not while the address is still being typed.
    enabled: /@.+\../.test(email),
    // Every lookup is audited, so make none that nobody asked for, and never show a stale one.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  })
}

/** One of an account's sessions, or all of them. */
export function endAccountSessions(email: string, session?: string): Promise<unknown> {
  const body = { email, session_id: session ?? null }
  return call(http.POST('/operator/sessions/end', { body }))
}
