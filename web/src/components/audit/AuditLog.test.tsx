import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import type { AuditEntry } from '../../api/audit'
import { showInApp } from '../../testing/app'
import { ok } from '../../testing/server'
import { AuditLog } from './AuditLog'

const entry = (id: string, app: Pick<AuditEntry, 'app_id' | 'app_name'>): AuditEntry => ({
  id,
  at: '2026-01-02T03:04:05.000Z',
  actor: { kind: 'system', id: null, name: null, email: null },
  action: 'key.create',
  action_name: id,
  target: { kind: 'key', id: 'key-1', name: '后端' },
  details: {},
  ip: null,
  user_agent: null,
  ...app,
})

it('says in a team’s log which app an entry is about', async () => {
  const items = [
    entry('in an app', { app_id: 'a', app_name: '商城' }),
    entry('in one that is gone', { app_id: 'b', app_name: null }),
    entry('in none', { app_id: null, app_name: null }),
  ]
  const scope = { kind: 'org', id: 'org-1', name: 'Acme' } as const
  showInApp(<AuditLog scope={scope} title="审计日志" lead="" mayExport />, {
    may: [],
    answers: { '/orgs/org-1/audit-logs': ok({ items, total: 3 }) },
  })
  const cells = async (action: string) =>
    within((await screen.findByText(action)).closest('tr')!)
      .getAllByRole('cell')
      .map((cell) => cell.textContent)
  expect(await cells('in an app')).toContain('商城')
  expect(await cells('in one that is gone')).toContain('已清除的应用')
  expect(await cells('in none')).not.toContain('已清除的应用')
})
