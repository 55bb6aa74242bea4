import { act, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { LiveMessage } from '../../../api/live'
import { showInApp, spaced, user } from '../../../testing/app'
import { refusal } from '../../../testing/server'
import LivePage from './LivePage'

const MAY = ['app:view', 'live:view'] as const

const message = (changes: Partial<LiveMessage>): LiveMessage => ({
  at: new Date().toISOString(),
  earlier: false,
  type: 'Event',
  outcome: 'accepted',
  reason: null,
  reason_name: null,
  event: 'buy',
  device: 'd-1',
  user: null,
  url_path: '/cart',
  properties: { plan: 'pro', phone: null },
  sdk: 'js 0.2.4',
  ...changes,
})

function show(shown: Partial<Parameters<typeof showInApp>[1]> = {}) {
  let line!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({ start: (made) => void (line = made) })
  showInApp(<LivePage />, {
    may: [...MAY],
    answers: { '/apps/app-1/live': () => new Response(body) },
    ...shown,
  })
  return async (...messages: LiveMessage[]) => {
    const text = messages.map((one) => `event: message\ndata: ${JSON.stringify(one)}\n\n`).join('')
    await act(async () => line.enqueue(new TextEncoder().encode(text)))
  }
}

const rows = async () =>
  within(await screen.findByRole('list', { name: '实时数据' })).getAllByRole('listitem')

describe('the live page', () => {
  it.each([
    [false, 1],
    [true, 0],
  ])('leads to the quick start only where nothing ever came, %o', async (has_events, links) => {
    show({ app: { has_events } })
    expect(await screen.findByText('等待数据到达')).toBeShown()
    expect(screen.queryAllByRole('link', { name: '快速开始' })).toHaveLength(links)
  })

  it('lists what arrives with what became of it, and opens its properties', async () => {
    const send = show()
    expect(await screen.findByText('实时接收中')).toBeShown()
    expect(screen.getByText('等待数据到达')).toBeShown()
    await send(
      message({}),
      message({ event: 'bad', outcome: 'rejected', reason: 'bad_event', reason_name: '不合规' }),
    )
    const [newest, first] = await rows()
    expect(newest!.textContent).toContain('已拒绝')
    expect(newest!.textContent).toContain('不合规')
    await user.click(within(first!).getByRole('button'))
    expect(within(first!).getByText('plan').nextSibling?.textContent).toBe('pro')
    // Without permission to see personal data, its presence is still shown.
    expect(within(first!).getByText('phone').nextSibling?.textContent).toContain('已隐藏')
  })

  it('says in words that the type of a message is not known', async () => {
    const send = show()
    await screen.findByText('实时接收中')
    await send(message({ type: 'unknown', event: null, outcome: 'rejected', reason: 'bad_field' }))
    const [row] = await rows()
    expect(row!.textContent).toContain('未知消息')
    await user.click(within(row!).getByRole('button'))
    expect(row!.textContent).not.toMatch(/unknown|消息类型/)
  })

  it('shows an outcome that only a newer server knows by its plain name', async () => {
    const send = show()
    await send(message({ outcome: 'postponed' as never }))
    const [row] = await rows()
    expect(row!.textContent).toContain('postponed')
    expect(row!.textContent).not.toContain('ingest.')
  })

  it('holds back while paused, says how many wait, and shows them', async () => {
    const send = show()
    await screen.findByText('实时接收中')
    await send(message({ event: 'first' }))
    await rows()
    await user.click(screen.getByRole('button', { name: spaced('暂停') }))
    await send(message({ event: 'second' }), message({ event: 'third' }))
    const resume = await screen.findByRole('button', { name: '继续，2 条等待显示' })
    expect(await rows()).toHaveLength(1)
    await user.click(resume)
    expect((await rows()).map((row) => row.textContent)).toEqual([
      expect.stringContaining('third'),
      expect.stringContaining('second'),
      expect.stringContaining('first'),
    ])
  })

  it('shows only what the filter in the address lets through', async () => {
    const send = show({ search: '?outcome=rejected&search=pay' })
    await screen.findByText('实时接收中')
    await send(message({ event: 'pay' }), message({ event: 'view', outcome: 'rejected' }))
    expect(await screen.findByText('没有符合条件的数据')).toBeShown()
    await send(message({ event: 'pay', outcome: 'rejected' }))
    expect(await rows()).toHaveLength(1)
  })

  it('says why it is not connected, and tries again when asked', async () => {
    let busy = true
    const errors = [{ error: '观看的人太多', code: 'too_many_viewers' }]
    show({
      answers: {
        '/apps/app-1/live': () =>
          busy ? refusal(429, { message: '', errors })() : new Response(new ReadableStream()),
      },
    })
    expect(await screen.findByText('观看的人太多')).toBeShown()
    expect(screen.getByText('连接已断开')).toBeShown()
    // It isn't known yet whether there is data.
    expect(screen.queryByText('等待数据到达')).toBeNull()
    busy = false
    await user.click(screen.getByRole('button', { name: '立即重连' }))
    expect(await screen.findByText('实时接收中')).toBeShown()
  })

  it('says that other servers’ events come later', async () => {
    show()
    expect(await screen.findByText(/其他服务器收到的事件会晚几秒显示/)).toBeShown()
  })
})
