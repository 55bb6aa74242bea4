/** The filters as in the URL, and as the server takes them. */
import type { AuditFilters } from '../../api/audit'
import type { TableParams } from '../table/useTableParams'
import { dayEnd, dayStart } from '../../lib/zonedDay'
import { ACTION_GROUPS, prefixOf } from './groups'

export const AUDIT_FILTERS = ['actor', 'action', 'from', 'to'] as const
export type AuditFilter = (typeof AUDIT_FILTERS)[number]

/** Days are in the user's time zone, like the times shown beside them. */
export function filtersFor(params: TableParams<AuditFilter>, timeZone: string): AuditFilters {
  const group = ACTION_GROUPS.find((known) => known === params.action)
  return {
    actor: params.actor,
    action: group && prefixOf(group),
    from: instant(params.from ? dayStart(params.from, timeZone) : null),
    to: instant(params.to ? dayEnd(params.to, timeZone) : null),
  }
}

function instant(moment: number | null): string | undefined {
  return moment === null ? undefined : new Date(moment).toISOString()
}
