// Needs no page.
import { describe, expect, it } from 'vitest'
import type { App } from '../../api/app'
import type { PermissionGroup, Role } from '../../api/roles'
import { changeBetween, copyOf, groupToggled, inOrder } from './draft'
import { accessTo, isWithin, lockOf, type PermissionCode } from '../../session/access'
import { matrixOf } from './matrix'

const permission = (code: PermissionCode, name: string, description = '') => ({
  code,
  name,
  description,
})
const groups: PermissionGroup[] = [
  {
    key: 'app',
    name: '应用',
    scope: 'app',
    permissions: [
      permission('app:view', '查看应用'),
      permission('app:archive', '归档应用', '停止接收数据'),
    ],
  },
  {
    key: 'key',
    name: '密钥',
    scope: 'app',
    permissions: [permission('key:view', '查看密钥'), permission('key:manage', '管理密钥')],
  },
]
const role = (permissions: PermissionCode[]) => ({ permissions, description: '看' }) as Role
const viewer = role(['app:view'])
const keeper = role(['app:view', 'key:view', 'key:manage'])

describe('the matrix', () => {
  const shown = (search: string) =>
    matrixOf(groups, [viewer, keeper], search).flatMap(({ rows }) => rows.map(({ code }) => code))

  it('has a row for each permission and a cell for each role', () => {
    const [app, key] = matrixOf(groups, [viewer, keeper])
    expect(app?.rows.map(({ held }) => held)).toEqual([
      [true, true],
      [false, false],
    ])
    expect(key?.rows.map(({ held }) => held)).toEqual([
      [false, true],
      [false, true],
    ])
  })

  it.each([
    ['', ['app:view', 'app:archive', 'key:view', 'key:manage']],
    ['KEY:', ['key:view', 'key:manage']],
    ['归档', ['app:archive']],
    ['接收数据', ['app:archive']],
    ['密钥 view', ['key:view']],
    ['no such', []],
  ])('searched for "%s" shows %j', (search, codes) => {
    expect(shown(search)).toEqual(codes)
  })
})

describe('a draft', () => {
  const held = new Set<PermissionCode>(['app:view', 'key:view'])

  it('switches a group as far as the person may', () => {
    const on = groupToggled(['app:view'], groups[1]!, { on: true, held })
    expect(on).toEqual(['app:view', 'key:view'])
    const locked: PermissionCode[] = ['app:view', 'key:view', 'key:manage']
    expect(groupToggled(locked, groups[1]!, { on: false, held })).toEqual([
      'app:view',
      'key:manage',
    ])
    expect(groupToggled(locked, groups[0]!, { on: false, held })).toEqual(locked)
  })

  it('says who gains and who loses what', () => {
    expect(changeBetween(['app:view', 'key:view'], ['app:view', 'app:archive'])).toEqual({
      gained: ['app:archive'],
      lost: ['key:view'],
    })
  })

  it('knows no change where only the order differs', () => {
    expect(inOrder(['key:view', 'later:code' as never, 'app:view'], groups)).toEqual([
      'app:view',
      'key:view',
      'later:code',
    ])
  })

  it('copies no more than its maker holds', () => {
    expect(copyOf(keeper, '副本', held)).toEqual({
      name: '副本',
      description: '看',
      permissions: ['app:view', 'key:view'],
    })
  })
})

describe('what a person may do', () => {
  const permissions: PermissionCode[] = ['app:view', 'member:manage']

  it.each([
    ['active', true],
    ['archived', false],
    ['deleted', false],
  ] as const)('in an %s app, changes: %s', (status, changes) => {
    const access = accessTo({ status } as App, permissions)
    expect(access.may('member:manage')).toBe(true)
    expect(access.mayChange('member:manage')).toBe(changes)
    expect(access.may('role:manage')).toBe(false)
  })

  it('ends where their own permissions end', () => {
    const { held } = accessTo({ status: 'active' } as App, ['app:view', 'key:view'])
    expect(isWithin(held, viewer)).toBe(true)
    expect(isWithin(held, keeper)).toBe(false)
    expect(lockOf('app:view', new Set())).toBe('always')
    expect(lockOf('key:view', held)).toBeNull()
    expect(lockOf('key:manage', held)).toBe('beyond')
  })
})
