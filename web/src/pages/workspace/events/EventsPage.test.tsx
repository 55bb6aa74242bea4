import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { EventItem, EventProperties } from '../../../api/catalog'
import type { AppPermission } from '../../../session/access'
import { showInApp, spaced, user } from '../../../testing/app'
import { ok, type SeenRequest } from '../../../testing/server'
import EventsPage from './EventsPage'

const order: EventItem = {
  event: 'order',
  description: '下单成功',
  hidden: false,
  first_seen: '2026-01-01T00:00:00.000Z',
  last_seen: new Date(Date.now() - 3_600_000).toISOString(),
  events_30d: 1_284_033,
  users_30d: 20_422,
}
const properties: EventProperties = {
  sampled: 5000,
  more: 0,
  items: [
    {
      property: 'amount',
      types: [
        { type: 'number', share: 0.98 },
        { type: 'string', share: 0.02 },
      ],
      value_type: 'number',
      corrected: false,
      share: 0.31,
      examples: ['19.9', '128'],
      personal: false,
      description: null,
    },
    {
      property: 'phone',
      types: [{ type: 'string', share: 1 }],
      value_type: 'text',
      corrected: true,
      share: 1,
      examples: [],
      personal: true,
      description: null,
    },
  ],
}

const READS: AppPermission[] = ['app:view', 'event:view', 'metadata:view']
const MANAGES: AppPermission[] = [...READS, 'metadata:manage', 'query:run']

function show(shown: Partial<Parameters<typeof showInApp>[1]> = {}) {
  return showInApp(<EventsPage />, {
    may: READS,
    ...shown,
    answers: {
      '/apps/app-1/events': ok({ items: [order], total: 1, can_manage: true }),
      '/apps/app-1/event-properties': ok(properties),
      '/apps/app-1/event-metadata': ok({}),
      '/apps/app-1/property-metadata': ok({}),
      ...shown.answers,
    },
  })
}

const queryOf = (seen: SeenRequest[], path = '/apps/app-1/events') =>
  new URLSearchParams(seen.filter((request) => request.path === path).at(-1)?.query)
const sent = (seen: SeenRequest[]) =>
  seen
    .filter(({ method }) => method === 'PUT')
    .map(({ path, body }) => [path, JSON.parse(body) as unknown])
const drawer = async () => within(await screen.findByRole('dialog'))

describe('the catalog', () => {
  it('asks for the busiest visible events and shows their volume', async () => {
    const seen = show()
    expect(await screen.findByText('1,284,033')).toBeShown()
    expect(screen.getByText('下单成功')).toBeShown()
    expect(Object.fromEntries(queryOf(seen))).toMatchObject({
      status: 'visible',
      sort: 'events',
      order: 'desc',
      page: '1',
    })
  })

  it('takes search, status, sort and page from the address', async () => {
    const seen = show({ search: '?search=or&status=hidden&sort=name&order=asc&page=2' })
    await waitFor(() =>
      expect(Object.fromEntries(queryOf(seen))).toEqual({
        search: 'or',
        status: 'hidden',
        sort: 'name',
        order: 'asc',
        page: '2',
        page_size: '20',
      }),
    )
  })

  it('says how much came under names beyond the limit', async () => {
    const other = { events_30d: 9_000, users_30d: 12 }
    const answer = ok({ items: [order], total: 1, can_manage: false, other })
    show({ answers: { '/apps/app-1/events': answer } })
    expect(await screen.findByText(/9,000 个事件（12 个用户）/)).toBeShown()
  })

  it('says how many properties are not listed', async () => {
    const answer = ok({ ...properties, more: 1_250 })
    show({ search: '?event=order', answers: { '/apps/app-1/event-properties': answer } })
    expect(await (await drawer()).findByText(/还有至少 1,250 个属性/)).toBeShown()
  })

  it('says what fills it', async () => {
    show({ answers: { '/apps/app-1/events': ok({ items: [], total: 0, can_manage: false }) } })
    expect(await screen.findByRole('heading', { name: '还没有事件' })).toBeShown()
    expect(screen.getByRole('link', { name: '快速开始' })).toBeShown()
  })

  it('hides an event and takes it back', async () => {
    const seen = show({ may: MANAGES })
    await user.click(await screen.findByRole('button', { name: '“order”的操作' }))
    await user.click(await screen.findByRole('menuitem', { name: '隐藏事件' }))
    expect(await screen.findByText(/“order”已隐藏/)).toBeShown()
    await user.click(screen.getByRole('button', { name: spaced('撤销') }))
    expect(await screen.findByText(/“order”已恢复显示/)).toBeShown()
    expect(sent(seen)).toEqual([
      ['/apps/app-1/event-metadata', { event: 'order', hidden: true }],
      ['/apps/app-1/event-metadata', { event: 'order', hidden: false }],
    ])
  })

  it('offers no change to whoever may only look', async () => {
    show()
    await screen.findByText('下单成功')
    expect(screen.queryByRole('button', { name: '“order”的操作' })).toBeNull()
  })
})

describe('one event', () => {
  it('shows what it carries; what is personal says so', async () => {
    show({ search: '?event=order' })
    const shown = await drawer()
    expect(await shown.findByText('amount')).toBeShown()
    expect(shown.getByText(/最新的 5,000 条数据/)).toBeShown()
    expect(shown.getByText(/数字 98%/)).toBeShown()
    expect(shown.getByText('31%')).toBeShown()
    expect(shown.getByText('19.9')).toBeShown()
    const phone = within(shown.getByText('phone').closest('li')!)
    expect(phone.getByText('已隐藏').title).toContain('查看个人信息')
    expect(shown.queryByRole('button', { name: /^编辑/ })).toBeNull()
  })

  it('is described, and so are its properties', async () => {
    const seen = show({ may: MANAGES, search: '?event=order' })
    const shown = await drawer()
    await user.click(await shown.findByRole('button', { name: '编辑：事件说明' }))
    const field = shown.getByRole('textbox', { name: '事件说明' })
    await user.clear(field)
    await user.click(shown.getByRole('button', { name: spaced('保存') }))
    await waitFor(() => expect(shown.queryByRole('textbox')).toBeNull())
    await user.click(shown.getByRole('button', { name: '编辑：amount 的说明' }))
    await user.type(shown.getByRole('textbox', { name: 'amount 的说明' }), ' 金额 ')
    await user.click(shown.getByRole('button', { name: spaced('保存') }))
    await waitFor(() =>
      expect(sent(seen)).toEqual([
        ['/apps/app-1/event-metadata', { event: 'order', description: null }],
        [
          '/apps/app-1/property-metadata',
          { event: 'order', property: 'amount', description: '金额' },
        ],
      ]),
    )
  })

  it('is of a type that people can correct', async () => {
    const seen = show({ may: MANAGES, search: '?event=order' })
    const shown = await drawer()
    const amount = await shown.findByRole('combobox', { name: 'amount 的类型' })
    expect(within(amount.closest('li')!).getByText('自动识别（数字）')).toBeShown()
    await user.click(amount)
    await user.click(await screen.findByTitle('时间'))
    await user.click(shown.getByRole('combobox', { name: 'phone 的类型' }))
    await user.click(await screen.findByTitle('自动识别'))
    const path = '/apps/app-1/property-metadata'
    await waitFor(() =>
      expect(sent(seen)).toEqual([
        [path, { event: 'order', property: 'amount', value_type: 'time' }],
        [path, { event: 'order', property: 'phone', value_type: null }],
      ]),
    )
  })

  it('tells what it is taken for', async () => {
    show({ search: '?event=order' })
    const shown = await drawer()
    expect(await shown.findByText('按文本处理')).toBeShown()
    expect(shown.queryByRole('combobox')).toBeNull()
  })

  it('may be gone', async () => {
    show({ search: '?event=other' })
    expect(await (await drawer()).findByText(/没有这个事件/)).toBeShown()
  })
})
