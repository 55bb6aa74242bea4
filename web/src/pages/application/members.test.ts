import { describe, expect, it, vi } from 'vitest'
import type { AppMember } from '../../api/appMembers'
import { ApiError } from '../../api/errors'
import type { Role } from '../../api/roles'
import { KEY_PLACEHOLDER, snippetOf } from '../../lib/snippets'
import { forEachMember, isEditable, ownMembersFirst } from './members'
import { savedRoleIn } from './savedRole'

const role = (id: string, permissions: Role['permissions']) =>
  ({ id, name: id, permissions }) as Role
const viewer = role('viewer', ['app:view'])
const admin = role('admin', ['app:view', 'app:delete'])

const member = (name: string, changes: Partial<AppMember> = {}) =>
  ({
    user_id: name,
    name,
    via: 'app',
    org_role: 'member',
    role: { id: 'viewer', name: 'viewer' },
    ...changes,
  }) as AppMember
const owner = member('Owner', { via: 'organization', org_role: 'owner', role: null })

const refused = (status: number) =>
  new ApiError({ status, code: null, text: () => `no (${status})` })

describe('the list of members', () => {
  it('sets those who come through the team apart and keeps the order otherwise', () => {
    const names = ownMembersFirst([member('B'), owner, member('A')]).map(({ name }) => name)
    expect(names).toEqual(['B', 'A', 'Owner'])
  })

  it('is open where a member holds no more than the person does', () => {
    const held = new Set(['app:view'] as const)
    expect(isEditable(member('A'), [viewer, admin], held)).toBe(true)
    const stronger = member('B', { role: { id: 'admin', name: 'admin' } })
    expect(isEditable(stronger, [viewer, admin], held)).toBe(false)
    expect(isEditable(stronger, [viewer, admin], new Set(admin.permissions))).toBe(true)
  })

  it('is closed for those who come through the team, and where the roles are not known', () => {
    const held = new Set(admin.permissions)
    expect(isEditable(owner, [viewer, admin], held)).toBe(false)
    expect(isEditable(member('A'), [], held)).toBe(false)
  })
})

describe('a change to several', () => {
  const all = ['A', 'B', 'C'].map((name) => member(name))

  it('goes on after a refusal and says whose it was', async () => {
    const outcome = await forEachMember(all, ({ name }) =>
      name === 'B' ? Promise.reject(refused(409)) : Promise.resolve(),
    )
    expect(outcome).toEqual({ done: 2, failed: [{ name: 'B', reason: 'no (409)' }] })
  })

  it.each([0, 401])('stops where the rest would fail alike: %i', async (status) => {
    const change = vi.fn(() => Promise.reject(refused(status)))
    await forEachMember(all, change)
    expect(change).toHaveBeenCalledOnce()
  })

  it('does not hide a mistake of our own', async () => {
    await expect(forEachMember(all, () => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
  })
})

describe('the snippet', () => {
  it('names the app’s region and holds its key', () => {
    const code = snippetOf({ endpoint: 'https://eu.example/', collect_key: 'ck_one' })
    expect(code).toContain('src="https://eu.example/sdk/')
    expect(code).toContain('data-app-key="ck_one"')
  })

  it('leaves the key to be filled in where it may not be seen', () => {
    expect(snippetOf({ endpoint: 'https://eu.example', collect_key: null })).toContain(
      KEY_PLACEHOLDER,
    )
  })
})

it.each([
  [{ savedRole: 'Support' }, 'Support'],
  [{ savedRole: 3 }, null],
  [null, null],
])('what the editor hands on, %j, is read as %j', (state, saved) => {
  expect(savedRoleIn(state)).toBe(saved)
})
