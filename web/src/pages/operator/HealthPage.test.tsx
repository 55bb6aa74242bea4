import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { instanceHealthQuery, type InstanceHealth } from '../../api/health'
import { queryClient } from '../../api/queryClient'
import { PersonMenu } from '../../layouts/PersonMenu'
import { rememberUser } from '../../session/session'
import { refusedRoute, spaced, user } from '../../testing/app'
import { aUser, ok, refusal, stubServer } from '../../testing/server'
import HealthPage from './HealthPage'

const ID = '0123456789abcdef0123456789abcdef'
const AT = '2026-11-17T08:00:00.000Z'

const STATE = {
  host: 'atrium-1',
  waiting_messages: 1234,
  oldest_waiting_seconds: 12,
  set_aside_messages: 0,
  spool: 'ok',
  event_store: 'ok',
  disk_free_bytes: 50 * 1024 ** 3,
  disk_bytes: 100 * 1024 ** 3,
  clock_offset_ms: -40,
}

const HEALTHY: InstanceHealth = {
  status: 'ok',
  at: AT,
  problems: [],
  instances: [
    {
      id: ID,
      version: 'v25.10.202',
      started_at: '2026-11-17T05:00:00.000Z',
      seen_at: AT,
      alive: true,
      answering: true,
      state: STATE,
    },
  ],
  leases: [
    { name: 'loader/3', holder: ID, held_until: '2026-11-17T08:00:30.000Z' },
    { name: 'retention', holder: `${ID}/upkeep`, held_until: null },
  ],
  job_runs: [
    { job: 'purge', instance: ID, started_at: AT, duration_ms: 12, error: null, succeeded_at: AT },
    { job: 'purge', instance: 'b', started_at: AT, duration_ms: 5, error: 'x', succeeded_at: null },
  ],
  backup: null,
  database: { name: 'PostgreSQL', reachable: true, version: '17.2', bytes: 2 * 1024 ** 2 },
  event_stores: [{ name: 'ClickHouse at ch-1', reachable: false, error: 'connection refused' }],
}

function show(
  answers: Parameters<typeof stubServer>[0],
  operator = true,
  path = '/operator/health',
) {
  rememberUser({ ...aUser, operator })
  const seen = stubServer(answers)
  const router = createMemoryRouter(
    [
      refusedRoute,
      { path: '/operator/health', element: <HealthPage /> },
      { path: '*', element: <PersonMenu /> },
    ],
    { initialEntries: [path] },
  )
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return seen
}

const section = (name: string) => within(screen.getByRole('region', { name }))
const rowOf = (table: string, name: RegExp) =>
  within(within(screen.getByRole('table', { name: table })).getByRole('row', { name }))

afterEach(() => vi.useRealTimers())

describe('instance health', () => {
  it('shows every instance, the stores, jobs and leases', async () => {
    show({ '/instance/health': ok(HEALTHY) })
    expect(await screen.findByText('所有实例运行正常。')).toBeShown()
    const instance = rowOf('实例', /atrium-1 \(01234567\)/)
    for (const text of ['运行中', 'v25.10.202', '3 小时', '1,234', '12 秒钟', '当前响应']) {
      expect(instance.getByText(text)).toBeShown()
    }
    expect(instance.getByText(/50\s?GB.*100\s?GB/)).toBeShown()
    expect(instance.getByText('-40 毫秒')).toBeShown()
    expect(rowOf('数据存储', /元数据库/).getByText('17.2')).toBeShown()
    const events = rowOf('数据存储', /事件存储/)
    expect(events.getByText('无法连接')).toBeShown()
    expect(events.getByText('connection refused')).toBeShown()
    const loading = rowOf('任务分工', /写入事件 3/)
    expect(loading.getByText('进行中')).toBeShown()
    expect(loading.getByText('atrium-1 (01234567)')).toBeShown()
    expect(rowOf('任务分工', /清理过期事件/).getByText('空闲')).toBeShown()
    expect(section('备份').getByText('还没有自动备份的记录。')).toBeShown()
  })

  it('tells of a job its latest run, wherever that was', async () => {
    show({ '/instance/health': ok(HEALTHY) })
    const job = within(await screen.findByRole('table', { name: '后台任务' }))
    expect(job.getAllByRole('row')).toHaveLength(2)
    expect(job.getByText('彻底删除应用')).toBeShown()
    expect(job.getByText('成功')).toBeShown()
    expect(job.queryByText('失败')).toBeNull()
  })

  it('says what is wrong and what to do, and calls what it does not know by its name', async () => {
    const failing: InstanceHealth = {
      ...HEALTHY,
      status: 'failure',
      problems: [
        { code: 'lease_stuck', severity: 'failure', subject: 'loader', detail: ID, amount: 600 },
        { code: 'disk_low', severity: 'warning', subject: ID, amount: 512 * 1024 ** 2 },
        { code: 'clock_skew', severity: 'warning', subject: ID, amount: -8000 },
        { code: 'job_failed', severity: 'warning', subject: 'fly', detail: 'no wings' },
      ],
    }
    show({ '/instance/health': ok(failing) })
    const problems = within(await screen.findByRole('list', { name: '需要处理的问题' }))
    const texts = problems.getAllByRole('listitem').map(({ textContent }) => textContent)
    // Remove the invisible isolates around names.
    const plain = texts.map((text) => text.replace(/[\u2066-\u2069]/g, ''))
    expect(plain[0]).toContain('“写入事件”仍由已失联的 atrium-1 (01234567) 占用')
    expect(plain[0]).toContain('10 分钟')
    expect(plain[0]).toContain('请从数据库的 leases 表中删除这一行')
    expect(plain[1]).toMatch(/atrium-1 \(01234567\) 的磁盘只剩 512\s?MB/)
    expect(plain[2]).toMatch(/-8/)
    expect(plain[3]).toContain('“fly”上次运行失败：no wings')
  })

  it('shows the latest backup', async () => {
    const backup = { ...HEALTHY.job_runs[0]!, job: 'backup', error: 'no room' }
    show({ '/instance/health': ok({ ...HEALTHY, backup }) })
    await screen.findByText('所有实例运行正常。')
    expect(section('备份').getByText('no room')).toBeShown()
  })

  it('fails with a retry', async () => {
    const answers: Record<string, () => Response> = {
      '/instance/health': refusal(503, '', { 'x-request-id': 'req-9' }),
    }
    show(answers)
    expect((await screen.findByRole('alert')).textContent).toContain('req-9')
    answers['/instance/health'] = ok(HEALTHY)
    await user.click(screen.getByRole('button', { name: spaced('重试') }))
    expect(await screen.findByText('所有实例运行正常。')).toBeShown()
  })

  it('asks again by itself and keeps what it has while it waits, or when that fails', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    const answers: Record<string, () => Response> = { '/instance/health': ok(HEALTHY) }
    const seen = show(answers)
    await screen.findByText('所有实例运行正常。')
    answers['/instance/health'] = refusal(500, '', { 'x-request-id': 'req-10' })
    await vi.advanceTimersByTimeAsync(15_000)
    await waitFor(() => expect(seen.length).toBeGreaterThan(1))
    expect((await screen.findByRole('alert')).textContent).toContain('req-10')
    expect(screen.getByText('所有实例运行正常。')).toBeShown()
    await queryClient.cancelQueries(instanceHealthQuery)
  })

  it('is for those who run the instance', async () => {
    const seen = show({}, false)
    expect(await screen.findByText('refused: /operator/health')).toBeShown()
    expect(seen).toEqual([])
  })

  it.each([
    [true, 1],
    [false, 0],
  ])('stands in the menu of those who run the instance: %s', async (operator, count) => {
    show({}, operator, '/elsewhere')
    await user.click(screen.getByRole('button', { name: /账号菜单/ }))
    await screen.findByRole('menuitem', { name: /退出登录/ })
    expect(screen.queryAllByRole('menuitem', { name: /实例状态/ }).length).toBe(count)
  })
})
