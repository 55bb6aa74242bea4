/** The roles of an app: the list, the table of permissions, and the editor. */
import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { PermissionGroup, Role } from '../../api/roles'
import type { AppPermission } from '../../session/access'
import { showInApp, user } from '../../testing/app'
import { ok, refusal } from '../../testing/server'
import AppAuthorityPage from './AppAuthorityPage'
import EditRolePage from './EditRolePage'

const role = (name: string, permissions: AppPermission[], builtin = false): Role => ({
  id: name,
  name,
  permissions,
  key: builtin ? name : null,
  description: '',
  builtin,
  member_count: 0,
})
const ROLES = [
  role('管理员', ['app:view', 'key:view', 'key:manage'], true),
  role('组长', ['app:view', 'role:view', 'role:manage']),
  role('钥匙', ['app:view', 'key:view']),
]
const group = (key: string, codes: AppPermission[]): PermissionGroup => ({
  key,
  name: key,
  scope: 'app',
  permissions: codes.map((code) => ({ code, name: code, description: '' })),
})
const GROUPS = [
  group('应用', ['app:view', 'app:delete']),
  group('角色', ['role:view', 'role:manage']),
  group('密钥', ['key:view', 'key:manage']),
]
const LEAD: AppPermission[] = ['app:view', 'app:delete', 'role:view', 'role:manage']

type Shown = Partial<Parameters<typeof showInApp>[1]>

const show = (page: React.ReactNode, { may = LEAD, answers, ...shown }: Shown = {}) =>
  showInApp(page, {
    may,
    answers: {
      '/apps/app-1/roles': ok({ items: ROLES, total: ROLES.length }),
      '/permissions': ok({ groups: GROUPS }),
      ...answers,
    },
    ...shown,
  })
const showList = (shown?: Shown) => show(<AppAuthorityPage />, shown)
const showEditor = (shown?: Shown) => show(<EditRolePage />, shown)

describe('the table of permissions', () => {
  const codes = async () =>
    (await screen.findAllByRole('rowheader')).flatMap(
      (head) => head.querySelector('code')?.textContent ?? [],
    )

  it('has a column for each role, and is searched', async () => {
    showList()
    const table = within(await screen.findByRole('region', { name: '权限对照表' }))
    expect(await codes()).toHaveLength(6)
    expect(table.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      '权限',
      '管理员0 人',
      '组长0 人',
      '钥匙0 人',
    ])
    const search = screen.getByLabelText('搜索权限名称、说明或代码')
    await user.type(search, 'key:view')
    await waitFor(async () => expect(await codes()).toEqual(['key:view']))
    const cells = table.getAllByRole('cell').map((cell) => cell.textContent)
    expect(cells.slice(-3)).toEqual(['有', '–无', '有'])
    await user.type(search, ' no such thing')
    expect(await screen.findByText('没有符合条件的权限')).toBeShown()
    await user.click(screen.getByRole('button', { name: '清除条件' }))
    expect(await codes()).toHaveLength(6)
  })
})

describe('the list of roles', () => {
  const link = (name: string) => screen.queryByRole('link', { name })

  it('lets nobody change more than they hold, nor a built-in role; all can be copied', async () => {
    showList()
    expect(await screen.findByRole('link', { name: '编辑：组长' })).toBeShown()
    expect(screen.getByRole('button', { name: '删除：组长' })).toBeShown()
    expect(link('编辑：钥匙')).toBeNull()
    expect(link('编辑：管理员')).toBeNull()
    for (const { name } of ROLES) expect(link(`复制：${name}`)).not.toBeNull()
  })

  it('is only looked at without the right to change it, and in an archived app', async () => {
    showList({ may: ['app:view', 'role:view'] })
    expect(await screen.findAllByText('钥匙')).not.toEqual([])
    expect(screen.queryByRole('link', { name: /^复制/ })).toBeNull()
    expect(link('新建角色')).toBeNull()
  })

  it('is closed to those who may not see it', async () => {
    const seen = showList({ may: ['app:view'] })
    expect(await screen.findByText('refused: /app-1/authManagement/x')).toBeShown()
    expect(seen).toEqual([])
  })
})

describe('the editor', () => {
  const box = (name: RegExp | string) => screen.findByRole<HTMLInputElement>('checkbox', { name })
  const create = () => screen.getByRole('button', { name: /新建角色$/ })

  it('chooses a group at once, and locks what the person does not hold', async () => {
    showEditor()
    const always = await box(/app:view/)
    expect([always.checked, always.disabled]).toEqual([true, true])
    const beyond = await box(/key:view/)
    expect([beyond.checked, beyond.disabled]).toEqual([false, true])
    expect(screen.getAllByText('你没有此权限，不能授予或收回')).toHaveLength(2)

    const all = await box('全选：角色')
    await user.click(all)
    expect((await box(/role:view/)).checked).toBe(true)
    expect((await box(/role:manage/)).checked).toBe(true)
    expect(screen.getByText('已选 3 项')).toBeShown()
    await user.click(await box(/role:view/))
    expect(all.checked).toBe(false)
    expect(screen.getByText('已选 2 项')).toBeShown()
  })

  it('wants a name that nobody has taken', async () => {
    const errors = [{ error: '名称已被使用', code: 'name_taken', field: 'name' }]
    const seen = showEditor({
      answers: { 'POST /apps/app-1/roles': refusal(409, { message: '', errors }) },
    })
    await box(/app:view/)
    await user.click(create())
    expect(await screen.findByText('请输入角色名称')).toBeShown()
    await user.type(screen.getByLabelText('角色名称'), '组长')
    await user.click(create())
    expect(await screen.findByText('名称已被使用')).toBeShown()
    const posted = seen.filter(({ method }) => method === 'POST')
    expect(posted.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { name: '组长', description: '', permissions: ['app:view'] },
    ])
  })

  it('copies no more of a role than the person holds', async () => {
    showEditor({ search: '?from=%E9%92%A5%E5%8C%99' })
    expect((await box(/app:view/)).checked).toBe(true)
    expect((await box(/key:view/)).checked).toBe(false)
    expect(screen.getByLabelText<HTMLInputElement>('角色名称').value).toBe('钥匙 副本')
  })

  it('leaves a built-in role alone, and offers a copy', async () => {
    showEditor({ search: `?role=${encodeURIComponent('管理员')}` })
    expect(await screen.findByText(/^内置角色不能修改/)).toBeShown()
    const copy = screen.getByRole('link', { name: '复制此角色' })
    expect(copy.getAttribute('href')).toContain('from=')
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  it('says that an archived app is read-only', async () => {
    showEditor({ app: { status: 'archived' } })
    expect(await screen.findByText('应用当前为只读，不能修改角色。')).toBeShown()
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  it('is closed to those who may not change roles', async () => {
    showEditor({ may: ['app:view', 'role:view'] })
    expect(await screen.findByText('refused: /app-1/authManagement/x')).toBeShown()
  })
})
