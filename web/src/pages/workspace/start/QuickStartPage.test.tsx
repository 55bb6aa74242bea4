import { act, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bindFailureHandlers } from '../../../api/client'
import type { AccessKey } from '../../../api/keys'
import type { AppPermission } from '../../../session/access'
import { showInApp, user } from '../../../testing/app'
import { ok, refusal } from '../../../testing/server'
import QuickStartPage from './QuickStartPage'
import { usableKey } from './usableKey'

type Shown = Partial<Parameters<typeof showInApp>[1]>
const show = (shown: Shown = {}) =>
  showInApp(<QuickStartPage />, { may: ['app:view'], answers: {}, ...shown })

const key = (id: string, changes: Partial<AccessKey> = {}) =>
  ({ id, name: id, state: 'active', last_used_at: null, ...changes }) as AccessKey

const ingest = (last_event_at: string | null) => ({
  accepted: 0,
  duplicate: 0,
  rejected: 0,
  reasons: [],
  over_limit: [],
  last_event_at,
  spool: { pending: 0 },
})

describe('the code', () => {
  it('holds the app’s own key', async () => {
    show()
    const code = await screen.findByRole('group', { name: '网页脚本' })
    expect(code.textContent).toContain('data-app-key="ck_public"')
    await user.click(screen.getByRole('tab', { name: 'npm 模块' }))
    const module = screen.getByRole('group', { name: 'npm 模块' })
    expect(module.textContent).toContain("appKey: 'ck_public'")
  })

  it('says who gives the key where it may not be seen', async () => {
    show({ app: { collect_key: null } })
    expect(await screen.findByText(/你没有查看密钥的权限，请向管理员索取/)).toBeShown()
  })

  it('signs with an access key that works; its secret stays to be filled in', async () => {
    const items = [key('AKOFF', { state: 'disabled' }), key('AKGOOD')]
    show({
      may: ['app:view', 'key:view', 'key:manage'],
      search: '?way=server',
      answers: { '/apps/app-1/access-keys': ok({ items, total: 2 }) },
    })
    expect(await screen.findByText(/已填为“AKGOOD”/)).toBeShown()
    const code = screen.getByRole('group', { name: '服务器（签名）' })
    expect(code.textContent).toContain("KEY_ID='AKGOOD'")
    expect(code.textContent).toContain("SECRET='YOUR_ACCESS_KEY_SECRET'")
  })

  it('leads to the keys where there is none to sign with', async () => {
    show({
      may: ['app:view', 'key:view', 'key:manage'],
      search: '?way=server',
      answers: { '/apps/app-1/access-keys': ok({ items: [], total: 0 }) },
    })
    const make = await screen.findByRole('link', { name: '新建访问密钥' })
    expect(make.getAttribute('href')).toBe('/app-1/authManagement/appSecretKey')
  })

  it('asks for no keys that the person may not see', async () => {
    const seen = show({ search: '?way=server' })
    expect(await screen.findByText(/向管理员索取一个访问密钥/)).toBeShown()
    expect(seen).toEqual([])
  })
})

it('of several keys that work, the one used last is taken', () => {
  const used = (id: string, last_used_at: string) => key(id, { last_used_at })
  const keys = [
    key('never'),
    used('old', '2026-01-01T00:00:00Z'),
    used('new', '2026-11-01T00:00:00Z'),
  ]
  expect(usableKey(keys)?.id).toBe('new')
  expect(usableKey([key('x', { state: 'expired' })])).toBeUndefined()
})

describe('the first event', () => {
  const may: AppPermission[] = ['app:view', 'dashboard:view']
  afterEach(() => vi.useRealTimers())
  const state = () => document.querySelector<HTMLElement>('[data-arrived]')!

  it('is waited for, asked about every 3 s, and turns green by itself', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    let last: string | null = null
    const seen = show({ may, answers: { '/apps/app-1/ingest': () => ok(ingest(last))() } })
    expect(await screen.findByText(/^正在等待第一条数据/)).toBeShown()
    expect(state().dataset.arrived).toBe('false')
    last = new Date().toISOString()
    await act(() => vi.advanceTimersByTimeAsync(3_100))
    expect(await screen.findByText('已经收到数据')).toBeShown()
    expect(state().dataset.arrived).toBe('true')
    const asked = seen.length
    await act(() => vi.advanceTimersByTimeAsync(30_000))
    expect(seen).toHaveLength(asked)
  })

  it('is named as soon as this server receives it', async () => {
    const message = { outcome: 'accepted', event: 'page_view' }
    const refused = { outcome: 'rejected', event: 'broken' }
    const lines = [refused, message].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')
    show({
      may: [...may, 'live:view'],
      answers: {
        '/apps/app-1/ingest': ok(ingest(null)),
        '/apps/app-1/live': () => new Response(lines),
      },
    })
    expect(await screen.findByText('收到第一条事件：page_view')).toBeShown()
    // The links appear once those pages have the data.
    expect(within(state()).getByText(/^正在入库/)).toBeShown()
    expect(within(state()).queryByRole('link')).toBeNull()
  })

  it('leads on to where it can be seen', async () => {
    const last = new Date().toISOString()
    show({
      may: [...may, 'event:view', 'live:view'],
      answers: { '/apps/app-1/ingest': ok(ingest(last)) },
    })
    await screen.findByText('已经收到数据')
    const links = within(state()).getAllByRole('link')
    expect(links.map((link) => link.getAttribute('href')?.split('app-1')[1])).toEqual([
      '',
      '/events',
      '/live',
    ])
  })

  it('can be a test event, sent as the app’s own pages send theirs', async () => {
    const seen = show({
      may,
      answers: {
        '/apps/app-1/ingest': ok(ingest(null)),
        '/v1/collect': ok({ accepted: 1, duplicate: 0, rejected: 0, errors: [] }),
      },
    })
    await user.click(await screen.findByRole('button', { name: '发送测试事件' }))
    expect(await screen.findByText('测试事件 test_event 已发出。')).toBeShown()
    const sent = seen.find(({ path }) => path === '/v1/collect')!
    expect(sent.credentials).toBe('omit')
    expect(JSON.parse(sent.body)).toMatchObject({
      app_key: 'ck_public',
      messages: [
        { type: 'Event', data: { event: 'test_event', client_version: expect.any(String) } },
      ],
    })
  })

  it('is not sent by whoever may not see the key, nor to an archived app', async () => {
    show({ may, app: { collect_key: null }, answers: { '/apps/app-1/ingest': ok(ingest(null)) } })
    expect(await screen.findByText(/^正在等待第一条数据/)).toBeShown()
    expect(screen.queryByRole('button', { name: '发送测试事件' })).toBeNull()
  })

  it('says so where it is not taken', async () => {
    const told = vi.fn()
    bindFailureHandlers({ notify: told })
    const errors = [{ index: 0, code: 'quota_exceeded', error: '超出配额' }]
    show({
      may,
      answers: {
        '/apps/app-1/ingest': ok(ingest(null)),
        '/v1/collect': ok({ accepted: 0, duplicate: 0, rejected: 1, errors }),
      },
    })
    await user.click(await screen.findByRole('button', { name: '发送测试事件' }))
    await vi.waitFor(() => expect(told).toHaveBeenCalledOnce())
    expect((told.mock.calls[0] as [Error])[0].message).toBe('超出配额')
    expect(screen.queryByText('测试事件 test_event 已发出。')).toBeNull()
    bindFailureHandlers({})
  })

  it('comes no more to an archived app', async () => {
    show({
      may,
      app: { status: 'archived' },
      answers: { '/apps/app-1/ingest': ok(ingest(null)) },
    })
    expect(await screen.findByText('没有收到过数据。')).toBeShown()
  })

  it('is not asked about by those who may not see numbers', async () => {
    const seen = show()
    expect(await screen.findByRole('group', { name: '网页脚本' })).toBeShown()
    expect(seen).toEqual([])
  })

  it('says when the numbers cannot be had', async () => {
    show({ may, answers: { '/apps/app-1/ingest': refusal(503) } })
    expect(await screen.findByRole('alert')).toBeShown()
  })
})
