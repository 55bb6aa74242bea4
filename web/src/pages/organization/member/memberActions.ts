import { ORG_ROLES, type Org, type OrgMember, type OrgRole } from '../../../api/orgs'

/** The roles someone may assign: admins can neither appoint nor remove owners. */
export function rolesToGive(org: Org): OrgRole[] {
  return ORG_ROLES.filter((role) => role !== 'owner' || org.role === 'owner')
}

export function mayManage(org: Org, member: OrgMember): boolean {
  if (!org.permissions.includes('org_member:manage')) return false
  return member.role !== 'owner' || org.role === 'owner'
}

/** Removing oneself means leaving, which the list of teams offers. */
export function mayRemove(org: Org, member: OrgMember): boolean {
  return mayManage(org, member) && !member.is_me
}
