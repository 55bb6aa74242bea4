/** The audit log of an organisation: who did what, when and from where. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, callForFile, http } from './client'
import type { Page } from './orgs'
import type { components } from './schema'

export type AuditEntry = components['schemas']['AuditEntry']
export interface AuditFilters {
  /** Words of a name or address, or a person's id. */
  actor?: string
  /** The beginning of an action, such as `app.` */
  action?: string
  target?: string
  from?: string
  to?: string
}
export type AuditFormat = 'csv' | 'ndjson'

export function auditQuery(
  orgId: string,
  params: AuditFilters & { page: number; page_size: number },
  language: string,
) {
  return queryOptions({
    queryKey: ['org', orgId, 'audit', params, language],
    queryFn: (): Promise<Page<AuditEntry>> =>
      call(http.GET('/orgs/{id}/audit-logs', { params: { path: { id: orgId }, query: params } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

export function exportAudit(
  orgId: string,
  format: AuditFormat,
  filters: AuditFilters,
): Promise<Blob> {
  const params = { path: { id: orgId }, query: { format, ...filters } }
  return callForFile(http.GET('/orgs/{id}/audit-logs/export', { params, parseAs: 'blob' }))
}
