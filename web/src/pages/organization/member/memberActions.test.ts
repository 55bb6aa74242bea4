import { describe, expect, it } from 'vitest'
import type { Org, OrgMember, OrgRole } from '../../../api/orgs'
import { mayManage, mayRemove, rolesToGive } from './memberActions'

const org = (role: OrgRole) =>
  ({ role, permissions: role === 'member' ? [] : ['org_member:manage'] }) as unknown as Org
const member = (role: OrgRole, isMe = false) => ({ role, is_me: isMe }) as OrgMember

describe('who may do what to a member', () => {
  it.each([
    ['owner', 'owner', true],
    ['owner', 'admin', true],
    ['admin', 'owner', false],
    ['admin', 'admin', true],
    ['admin', 'member', true],
    ['member', 'member', false],
  ] as const)('%s to %s: %s', (mine, theirs, may) => {
    expect(mayManage(org(mine), member(theirs))).toBe(may)
    expect(mayRemove(org(mine), member(theirs))).toBe(may)
  })

  it('does not let anyone remove themselves here', () => {
    expect(mayRemove(org('owner'), member('owner', true))).toBe(false)
  })

  it('keeps the role of owner for owners to give', () => {
    expect(rolesToGive(org('owner'))).toEqual(['owner', 'admin', 'member'])
    expect(rolesToGive(org('admin'))).toEqual(['admin', 'member'])
  })
})
