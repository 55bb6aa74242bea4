import { screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Erasure } from '../../api/erasures'
import type { Ingest } from '../../api/ingest'
import { anApp, showInApp, spaced, user } from '../../testing/app'
import { aUser, ok, type SeenRequest } from '../../testing/server'
import AppDetailPage from './AppDetailPage'
import { flowOf } from './flow'

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

const ingest: Ingest = {
  accepted: 8_123_441,
  duplicate: 1_204,
  rejected: 318,
  reasons: [{ reason: 'timestamp_out_of_range', name: '时间戳超出范围', count: 318, samples: [] }],
  over_limit: [{ limit: 'event_names', name: '事件名称过多', max: 2000, count: 777 }],
  last_event_at: ago(0.1),
  spool: { pending: 42 },
}
const erasure: Erasure = {
  id: 'e1',
  kind: 'user',
  subject_hint: 'cu…13',
  state: 'done',
  asked_by: null,
  asked_at: ago(5),
  done_at: ago(4),
  events: 18_234,
}

type Shown = Parameters<typeof showInApp>[1]

const show = (shown: Partial<Shown>) =>
  showInApp(<AppDetailPage />, { may: ['app:view'], answers: {}, ...shown })

const bodyOf = (seen: SeenRequest[], method: string) =>
  JSON.parse(seen.find((request) => request.method === method)?.body ?? 'null') as unknown
const dialog = async () => within(await screen.findByRole('dialog'))

afterEach(() => vi.useRealTimers())

it('is renamed under a name that is not empty', async () => {
  const seen = show({
    may: ['app:view', 'app:update'],
    answers: { 'PUT /apps/app-1': ok({ ...anApp, name: '官网' }), '/current': ok(aUser) },
  })
  const name = await screen.findByLabelText('应用名称')
  const save = screen.getByRole<HTMLButtonElement>('button', { name: spaced('保存') })
  expect(save.disabled).toBe(true)
  await user.clear(name)
  await user.click(save)
  expect(await screen.findByText('请输入应用名称')).toBeShown()
  await user.type(name, ' 官网 ')
  await user.type(screen.getByLabelText('描述'), '对外')
  await user.click(save)
  expect(await screen.findByText('已保存')).toBeShown()
  expect(bodyOf(seen, 'PUT')).toMatchObject({ name: '官网', description: '对外' })
})

it('can only be looked at by those who may not change it', async () => {
  show({})
  expect(await screen.findByRole('heading', { name: '应用信息' })).toBeShown()
  expect(screen.queryByRole('button', { name: spaced('保存') })).toBeNull()
  expect(screen.queryByRole('button', { name: /^(归档|删除)应用/ })).toBeNull()
})

describe('the snippet', () => {
  it('holds the app’s own key', async () => {
    show({})
    const code = await screen.findByRole('group', { name: '接入代码' })
    expect(code.textContent).toContain('data-app-key="ck_public"')
  })

  it('says what to fill in where the key may not be seen', async () => {
    show({ app: { collect_key: null } })
    expect(await screen.findByText(/换成应用的上报密钥/)).toBeShown()
  })
})

describe('retention', () => {
  const may: Shown['may'] = ['app:view', 'app:update']

  it('is a number of days of the app’s own, once it is said that events go', async () => {
    const seen = show({
      may,
      answers: {
        'PUT /apps/app-1': ok({ ...anApp, retention_days: 30 }),
        '/apps/app-1': ok(anApp),
        '/current': ok(aUser),
        '/apps/app-1/retention-impact': ok({ events: 1_284_033 }),
      },
    })
    await user.click(await screen.findByRole('radio', { name: '单独设置' }))
    const days = screen.getByLabelText('保留天数')
    await user.type(days, '4000')
    await user.click(screen.getByRole('button', { name: spaced('保存') }))
    expect(await screen.findByText('请输入 1–3,650 之间的整数')).toBeShown()
    await user.clear(days)
    await user.type(days, '30')
    await user.click(screen.getByRole('button', { name: spaced('保存') }))
    const asked = await dialog()
    expect(await asked.findByText(/从 365 天缩短为 30 天/)).toBeShown()
    expect(asked.getByText('1,284,033')).toBeShown()
    expect(seen.find(({ path }) => path.endsWith('/retention-impact'))?.query).toBe('days=30')
    const shorten = asked.getByRole<HTMLButtonElement>('button', { name: '缩短并保存' })
    expect(shorten.disabled).toBe(true)
    await user.type(asked.getByLabelText('请输入“商城”以确认'), '商城')
    expect(bodyOf(seen, 'PUT')).toBeNull()
    await user.click(shorten)
    expect(await screen.findByText('已保存')).toBeShown()
    expect(bodyOf(seen, 'PUT')).toMatchObject({ name: '商城', retention_days: 30 })
  })

  it('is said to those who may not change it', async () => {
    show({})
    expect(await screen.findByText('365 天（跟随团队）')).toBeShown()
  })
})

describe('receiving data', () => {
  const may: Shown['may'] = ['app:view', 'dashboard:view']

  it('shows every counter and why messages were turned away', async () => {
    show({ may, answers: { '/apps/app-1/ingest': ok(ingest) } })
    const panel = within(await screen.findByRole('region', { name: '数据接收' }))
    expect(await panel.findByText('8,123,441')).toBeShown()
    expect(panel.getByText('1,204')).toBeShown()
    expect(panel.getByText('timestamp_out_of_range')).toBeShown()
    expect(panel.getByText('事件名称过多').parentElement?.textContent).toContain('777')
    expect(panel.getByText('42')).toBeShown()
    expect(panel.getByText(/^正在接收数据/)).toBeShown()
  })

  it('waits for the first event', async () => {
    const nothing = { ...ingest, last_event_at: null, reasons: [], spool: { pending: 0 } }
    show({ may, answers: { '/apps/app-1/ingest': ok(nothing) } })
    expect(await screen.findByText(/^正在等待第一条数据/)).toBeShown()
  })

  it('turns green by itself with the first event', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    let latest: Ingest = { ...ingest, last_event_at: null }
    show({ may, answers: { '/apps/app-1/ingest': () => ok(latest)() } })
    await screen.findByText(/^正在等待第一条数据/)
    latest = ingest
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await screen.findByText(/^正在接收数据/)).toBeShown()
  })

  it('is not shown to those who may not see numbers', async () => {
    const seen = show({})
    expect(await screen.findByRole('heading', { name: '应用信息' })).toBeShown()
    expect(screen.queryByRole('region', { name: '数据接收' })).toBeNull()
    expect(seen).toEqual([])
  })

  it.each([
    ['active', 1, 'arriving'],
    ['active', 25, 'silent'],
    ['active', null, 'waiting'],
    ['archived', null, 'stopped'],
    ['archived', 1, 'stopped'],
  ] as const)('of an app that is %s, last %s hours ago, is %s', (status, hours, flow) => {
    const last_event_at = hours === null ? null : ago(hours)
    expect(flowOf({ status }, { last_event_at }, Date.now())).toBe(flow)
  })
})

describe('erasing one person’s data', () => {
  const may: Shown['may'] = ['app:view', 'profile:pii', 'app:delete']
  const list = (...items: Erasure[]) => ok({ items, total: items.length })

  it('asks for the id twice and sends it as it was typed', async () => {
    const made: Erasure = { ...erasure, id: 'e2', state: 'pending', subject_hint: ' Cust 1' }
    let asked = false
    const seen = show({
      may,
      answers: {
        '/apps/app-1/erasures': () => list(...(asked ? [made, erasure] : [erasure]))(),
        'POST /apps/app-1/erasures': () => {
          asked = true
          return ok(made)()
        },
      },
    })
    expect(await screen.findByText('18,234')).toBeShown()
    await user.click(screen.getByRole('button', { name: /^删除用户数据/ }))
    const shown = await dialog()
    await user.click(shown.getByRole('radio', { name: '设备 ID' }))
    expect(shown.getByText(/设备属性/)).toBeShown()
    const submit = shown.getByRole<HTMLButtonElement>('button', { name: '永久删除' })
    await user.type(shown.getByRole('textbox', { name: '设备 ID' }), ' Cust 1')
    await user.type(shown.getByRole('textbox', { name: '再次输入以确认' }), 'Cust 1')
    expect(submit.disabled).toBe(true)
    await user.clear(shown.getByRole('textbox', { name: '再次输入以确认' }))
    await user.type(shown.getByRole('textbox', { name: '再次输入以确认' }), ' Cust 1')
    await user.click(submit)
    expect(await screen.findByText('删除请求已提交，处理进度见下方。')).toBeShown()
    expect(await screen.findByText('等待处理')).toBeShown()
    expect(bodyOf(seen, 'POST')).toEqual({ kind: 'device', subject: ' Cust 1' })
  })

  it('is followed to its end, which forgets whose data it was', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    let latest: Erasure = { ...erasure, state: 'running', subject_hint: 'Customer 48213' }
    const seen = show({ may, answers: { '/apps/app-1/erasures': () => list(latest)() } })
    await screen.findByText('Customer 48213')
    latest = erasure
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await screen.findByText('已完成')).toBeShown()
    expect(screen.queryByText('Customer 48213')).toBeNull()
    const asked = seen.length
    await vi.advanceTimersByTimeAsync(30_000)
    expect(seen).toHaveLength(asked)
  })

  it('says which request failed', async () => {
    show({
      may,
      answers: { '/apps/app-1/erasures': list({ ...erasure, state: 'failed', events: null }) },
    })
    expect(await screen.findByText('失败')).toBeShown()
  })

  it('takes a state that only a newer server knows for one under way', async () => {
    const state = 'postponed' as never
    show({ may, answers: { '/apps/app-1/erasures': list({ ...erasure, state, events: null }) } })
    expect(await screen.findByText('处理中')).toBeShown()
  })

  it('is not offered to those who may not see personal data, nor in a deleted app', async () => {
    show({})
    expect(await screen.findByRole('heading', { name: '应用信息' })).toBeShown()
    expect(screen.queryByRole('region', { name: '删除某个用户的数据' })).toBeNull()
  })
})

it('what archiving would hit is said in numbers', async () => {
  show({
    may: ['app:view', 'app:archive'],
    answers: { '/apps/app-1/impact': ok({ members: 12, live_keys: 4, events_24h: 1_284_033 }) },
  })
  await user.click(await screen.findByRole('button', { name: '归档应用' }))
  const asked = await dialog()
  expect(await asked.findByText('1,284,033')).toBeShown()
  expect(asked.getByText('4')).toBeShown()
})
