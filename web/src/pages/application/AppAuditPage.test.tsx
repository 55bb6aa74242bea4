import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../api/audit'
import { showInApp, user } from '../../testing/app'
import { aUser, ok } from '../../testing/server'
import AppAuditPage from './AppAuditPage'

const ENTRY: AuditEntry = {
  id: 'entry-1',
  at: '2026-01-02T03:04:05.000Z',
  actor: { kind: 'user', id: aUser.id, name: '林小雨', email: aUser.email },
  action: 'key.create',
  action_name: '创建访问密钥',
  target: { kind: 'key', id: 'key-1', name: '后端' },
  app_id: 'app-1',
  app_name: '商城',
  details: {},
  ip: '192.0.2.7',
  user_agent: null,
}

const LOG = '/apps/app-1/audit-logs'
const answers = { [LOG]: ok({ items: [ENTRY], total: 1 }), [`${LOG}/export`]: ok('') }

describe('the audit log of an app', () => {
  it('shows what was done, with the exact time in the person’s zone on hover', async () => {
    const seen = showInApp(<AppAuditPage />, { may: ['app:view', 'audit:view'], answers })
    const row = (await screen.findByText('创建访问密钥')).closest('tr')!
    expect(within(row).getByText('后端')).toBeShown()
    // 03:04:05 UTC in Shanghai.
    expect(row.querySelector('time')?.title).toBe('2026年1月2日 11:04:05 (Asia/Shanghai)')
    expect(seen.map(({ path }) => path)).toEqual([LOG])
  })

  it('names the app in the details of an entry', async () => {
    showInApp(<AppAuditPage />, { may: ['app:view', 'audit:view'], answers })
    await user.click(await screen.findByRole('button', { name: '“创建访问密钥”的详情' }))
    expect(screen.getByText('商城')).toBeShown()
    expect(screen.getByText('app-1')).toBeShown()
  })

  it('is downloaded by those who may, with the filters of the address', async () => {
    URL.createObjectURL = () => 'blob:x'
    URL.revokeObjectURL = () => {}
    const may = ['app:view', 'audit:view', 'audit:export'] as const
    const seen = showInApp(<AppAuditPage />, { may: [...may], answers, search: '?action=key' })
    await user.click(await screen.findByRole('button', { name: /导出 CSV/ }))
    await expect.poll(() => seen.at(-1)?.path).toBe(`${LOG}/export`)
    expect(seen.at(-1)?.query).toBe('format=csv&action=key.')
  })

  it('offers no download without the permission for it', async () => {
    showInApp(<AppAuditPage />, { may: ['app:view', 'audit:view'], answers })
    await screen.findByText('创建访问密钥')
    expect(screen.queryByRole('button', { name: /导出/ })).toBeNull()
  })

  it('is not asked for by those who may not see it', async () => {
    const seen = showInApp(<AppAuditPage />, { may: ['app:view'], answers })
    expect(await screen.findByText(/^refused: /)).toBeShown()
    expect(seen).toEqual([])
  })
})
