import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { AppMember } from '../../api/appMembers'
import type { Role } from '../../api/roles'
import { showInApp, spaced, user } from '../../testing/app'
import { ok, type SeenRequest } from '../../testing/server'
import AppMemberPage from './AppMemberPage'

const role = (id: string, name: string, permissions: Role['permissions']): Role => ({
  id,
  name,
  permissions,
  key: null,
  description: '',
  builtin: false,
  member_count: 1,
})
const VIEWER = role('r1', '只读', ['app:view'])
const LEAD = role('r2', '组长', ['app:view', 'member:view', 'member:manage'])
const KEYRING = role('r3', '钥匙', ['app:view', 'key:view'])

const member = (id: string, name: string, held: Role | null): AppMember => ({
  user_id: id,
  name,
  email: `${id}@example.com`,
  role: held && { id: held.id, key: null, name: held.name },
  via: held ? 'app' : 'organization',
  org_role: held ? 'member' : 'owner',
  added_at: '2026-01-01T00:00:00.000Z',
  added_by: null,
  is_me: false,
})
const MEMBERS = [
  member('host', '掌柜', null),
  member('ann', '安安', VIEWER),
  member('bob', '波波', LEAD),
  member('kim', '金金', KEYRING),
]
const MAY = ['app:view', 'member:view', 'member:manage', 'role:view'] as const

const list = (items: object[]) => ok({ items, total: items.length })

function show(shown: Partial<Parameters<typeof showInApp>[1]> = {}) {
  return showInApp(<AppMemberPage />, {
    may: [...MAY],
    ...shown,
    answers: {
      '/apps/app-1/members': list(MEMBERS),
      '/apps/app-1/roles': list([VIEWER, LEAD, KEYRING]),
      ...Object.fromEntries(
        MEMBERS.map(({ user_id }) => [`/apps/app-1/members/${user_id}`, ok({})]),
      ),
      ...shown.answers,
    },
  })
}

const rowOf = async (name: string) =>
  within((await screen.findByText(name, { selector: 'bdi' })).closest('tr')!)
const dialog = async () => within(await screen.findByRole('dialog'))
const sent = (seen: SeenRequest[], method: string) =>
  seen
    .filter((request) => request.method === method)
    .map(({ path, body }) => [
      path.replace('/apps/app-1/', ''),
      body && (JSON.parse(body) as unknown),
    ])

/** Opens a list of roles and chooses one by its name. */
async function choose(box: HTMLElement, name: string) {
  await user.click(box)
  const option = { selector: '.ant-select-item-option-content' }
  await user.click((await screen.findAllByText(name, option)).at(-1)!)
}

describe('the members of an app', () => {
  it('are changed by those who hold as much, never through the team', async () => {
    show()
    const host = await rowOf('掌柜')
    expect(host.getByText('团队所有者')).toBeShown()
    expect(host.queryByRole('combobox')).toBeNull()
    expect(host.getByRole<HTMLInputElement>('checkbox').disabled).toBe(true)
    expect((await rowOf('安安')).getByRole('combobox')).toBeShown()
    // This role sees keys, which the person on screen does not.
    const kim = await rowOf('金金')
    expect(kim.queryByRole('combobox')).toBeNull()
    expect(kim.getByText('钥匙')).toBeShown()
    await user.click((await rowOf('安安')).getByRole('combobox'))
    const beyond = await screen.findByTitle('钥匙（超出你的权限）')
    expect(beyond.className).toContain('disabled')
  })

  it('are found by name and by role', async () => {
    const seen = show()
    await user.type(await screen.findByLabelText('搜索姓名或邮箱'), 'cid')
    await waitFor(() => expect(seen.at(-1)!.query).toContain('search=cid'))
    await choose(screen.getByLabelText('按角色筛选'), '组长')
    await waitFor(() => expect(seen.at(-1)!.query).toContain('role_id=r2'))
  })

  it('get another role in the list, which can be taken back once', async () => {
    const seen = show()
    await choose((await rowOf('安安')).getByRole('combobox'), '组长')
    expect(await screen.findByText('安安 的角色已改为“组长”')).toBeShown()
    await user.click(screen.getByRole('button', { name: spaced('撤销') }))
    expect(await screen.findByText('安安 的角色已改为“只读”')).toBeShown()
    expect(screen.queryByRole('button', { name: spaced('撤销') })).toBeNull()
    expect(sent(seen, 'PUT')).toEqual([
      ['members/ann', { role_id: 'r2' }],
      ['members/ann', { role_id: 'r1' }],
    ])
  })

  it('are added from the team, with a role', async () => {
    const people = ['dan', 'eve'].map((id) => ({ user_id: id, name: id, email: `${id}@a.example` }))
    const seen = show({
      answers: {
        '/apps/app-1/candidates': list(people),
        'POST /apps/app-1/members': ok({ added: 2, skipped: 0 }),
      },
    })
    await user.click(await screen.findByRole('button', { name: '添加成员' }))
    const asked = await dialog()
    await user.click(await asked.findByRole('checkbox', { name: /dan/ }))
    await user.type(asked.getByLabelText('在团队中搜索姓名或邮箱'), 'ev')
    await waitFor(() => expect(seen.at(-1)!.query).toContain('search=ev'))
    await user.click(await asked.findByRole('checkbox', { name: /eve/ }))
    const add = () => asked.getByRole('button', { name: /添加 2 人$/ })
    await user.click(add())
    expect(await asked.findByText('请选择角色')).toBeShown()
    await choose(asked.getByLabelText('角色'), '只读')
    await user.click(add())
    expect(await screen.findByText('已添加 2 名成员')).toBeShown()
    expect(sent(seen, 'POST')).toEqual([['members', { user_ids: ['dan', 'eve'], role_id: 'r1' }]])
  })

  it('are changed several at once', async () => {
    const seen = show()
    for (const name of ['安安', '波波']) await user.click((await rowOf(name)).getByRole('checkbox'))
    const bulk = within(screen.getByRole('group', { name: '批量操作' }))
    expect(bulk.getByText('已选 2 人')).toBeShown()
    await user.click(bulk.getByRole('button', { name: '更改角色' }))
    const asked = await dialog()
    await choose(asked.getByLabelText('新角色'), '只读')
    await user.click(asked.getByRole('button', { name: '更改角色' }))
    expect(await screen.findByText('已更改 2 名成员的角色')).toBeShown()
    expect(sent(seen, 'PUT')).toEqual([
      ['members/ann', { role_id: 'r1' }],
      ['members/bob', { role_id: 'r1' }],
    ])
    expect(screen.queryByRole('group', { name: '批量操作' })).toBeNull()
  })

  it('are removed after a question, one or several', async () => {
    const seen = show()
    await user.click((await rowOf('波波')).getByRole('button', { name: '移除 波波' }))
    await user.click((await dialog()).getByRole('button', { name: spaced('移除') }))
    expect(await screen.findByText('已移除 1 名成员')).toBeShown()
    for (const name of ['安安', '波波']) await user.click((await rowOf(name)).getByRole('checkbox'))
    await user.click(screen.getByRole('button', { name: '移除所选' }))
    await user.click((await dialog()).getByRole('button', { name: spaced('移除') }))
    expect(await screen.findByText('已移除 2 名成员')).toBeShown()
    expect(sent(seen, 'DELETE').map(([path]) => path)).toEqual([
      'members/bob',
      'members/ann',
      'members/bob',
    ])
  })

  it('of an archived app can only be looked at', async () => {
    show({ app: { status: 'archived' } })
    expect((await rowOf('安安')).queryByRole('combobox')).toBeNull()
    expect(screen.queryByRole('button', { name: '添加成员' })).toBeNull()
  })

  it('are closed to those who may not see them', async () => {
    const seen = show({ may: ['app:view'] })
    expect(await screen.findByText('refused: /app-1/authManagement/x')).toBeShown()
    expect(seen).toEqual([])
  })
})

describe('why somebody may do something', () => {
  const permission = (code: string, name: string, held: boolean) => ({
    code,
    name,
    held,
    through: held ? { kind: 'app', role: { id: 'r1', key: null, name: '只读' } } : null,
    roles_that_give: held ? [] : [{ id: 'r3', key: null, name: '钥匙' }],
  })
  const access = {
    user: { id: 'ann', name: '安安', email: 'ann@example.com' },
    permissions: [
      permission('app:view', '查看应用', true),
      permission('key:view', '查看密钥', false),
    ],
  }
  const answers = { '/apps/app-1/members/ann/access': ok(access) }
  const items = async () =>
    (await (await dialog()).findAllByRole('listitem')).map(({ textContent }) => textContent)

  it('is explained for each permission, and can be searched', async () => {
    show({ answers })
    await user.click((await rowOf('安安')).getByRole('button', { name: '安安 的权限来源' }))
    expect(await items()).toEqual([
      '有： 查看应用 app:view来自应用角色“只读”',
      '没有： 查看密钥 key:view没有。可通过以下角色获得：钥匙',
    ])
    await user.type((await dialog()).getByLabelText('搜索权限'), 'key:')
    await waitFor(async () => expect(await items()).toHaveLength(1))
  })

  it('is opened by its address', async () => {
    show({ answers, search: '?access=ann' })
    expect(await items()).toHaveLength(2)
    await user.click((await dialog()).getByRole('button', { name: spaced('关闭') }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})
