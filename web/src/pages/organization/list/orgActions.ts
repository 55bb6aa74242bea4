import type { Org } from '../../../api/orgs'
import type { OrgPermission } from '../../../session/access'

export type OrgAction = 'rename' | 'transfer' | 'leave' | 'delete'

/** What the user may do with one of their teams. The server decides whether an owner may leave. */
export function orgActions({ permissions }: Org): { what: OrgAction; danger?: boolean }[] {
  const actions: { what: OrgAction; needs?: OrgPermission; danger?: boolean }[] = [
    { what: 'rename', needs: 'org:update' },
    { what: 'transfer', needs: 'org:transfer' },
    { what: 'leave', danger: true },
    { what: 'delete', needs: 'org:delete', danger: true },
  ]
  return actions.filter(({ needs }) => !needs || permissions.includes(needs))
}
