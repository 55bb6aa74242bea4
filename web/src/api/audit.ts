/** The audit log of a team or an app: who did what, when, and from where. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, callForFile, http } from './client'
import type { Page } from './orgs'
import type { components } from './schema'

export type AuditEntry = components['schemas']['AuditEntry']
export interface AuditFilters {
  /** Part of a name or address, or a user ID. */
  actor?: string
  /** The prefix of an action, such as `app.` */
  action?: string
  target?: string
  from?: string
  to?: string
}
export type AuditFormat = 'csv' | 'ndjson'

/** Whose log: a team's, including its apps, or one app's. */
export interface AuditScope {
  kind: 'org' | 'app'
  id: string
  name: string
}

export function auditQuery(
  { kind, id }: AuditScope,
  params: AuditFilters & { page: number; page_size: number },
  language: string,
) {
  const asked = { params: { path: { id }, query: params } }
  return queryOptions({
    queryKey: [kind, id, 'audit', params, language],
    queryFn: (): Promise<Page<AuditEntry>> =>
      kind === 'org'
        ? call(http.GET('/orgs/{id}/audit-logs', asked))
        : call(http.GET('/apps/{id}/audit-logs', asked)),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

export function exportAudit(
  { kind, id }: AuditScope,
  format: AuditFormat,
  filters: AuditFilters,
): Promise<Blob> {
  const asked = {
    params: { path: { id }, query: { format, ...filters } },
    parseAs: 'blob',
  } as const
  return callForFile(
    kind === 'org'
      ? http.GET('/orgs/{id}/audit-logs/export', asked)
      : http.GET('/apps/{id}/audit-logs/export', asked),
  )
}
