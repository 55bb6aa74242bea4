import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { errorOfAnswer } from '../../api/errors'
import { BarList } from './BarList'
import { Change } from './Change'
import { DataCard } from './DataCard'
import { pathOf, Sparkline } from './Sparkline'
import { StatCard } from './StatCard'

const there = { error: null, isFetching: false, isPlaceholderData: false, refetch: vi.fn() }

describe('a change', () => {
  it.each([
    [0.123, '▲ 上升12.3%'],
    [-0.5, '▼ 下降50%'],
    [0, '＝ 持平0%'],
    [null, '没有更早的数据'],
  ])('of %s has a word, not only a color', (change, text) => {
    const { container } = render(<Change change={change} />)
    expect(container.textContent).toBe(text)
  })
})

describe('a figure', () => {
  const show = (props: Partial<React.ComponentProps<typeof StatCard>>) =>
    render(
      <StatCard
        title="事件数"
        definition="所有事件"
        figure={{ ...there, data: { value: 1_284_033, previous: 1000, change: 0.1 } }}
        compared
        course={null}
        {...props}
      />,
    )

  it('is shown in full, with what it was', () => {
    show({})
    const card = screen.getByRole('region', { name: '事件数' })
    expect(within(card).getByText('1,284,033')).toBeShown()
    expect(card.textContent).toContain('对比期 1,000')
  })

  it('says nothing of change where nothing is compared', () => {
    show({ compared: false })
    expect(screen.getByRole('region').textContent).not.toContain('10%')
  })

  it('says that it is too early where nothing can be compared yet', () => {
    show({ figure: { ...there, data: { value: 3, previous: null, change: null } } })
    expect(screen.getByRole('region').textContent).toBe('事件数3时间太短，暂不对比')
  })

  it('explains itself to a mouse and to the keyboard', async () => {
    show({})
    const button = screen.getByRole('button', { name: '“事件数”的统计口径' })
    await userEvent.hover(button)
    expect(screen.getByRole('note').textContent).toBe('所有事件')
    await userEvent.unhover(button)
    expect(screen.queryByRole('note')).toBeNull()
    button.focus()
    await userEvent.keyboard('{Enter}')
    expect(screen.getByRole('note')).toBeShown()
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByRole('note')).toBeNull()
    expect(document.activeElement).toBe(button)
  })
})

describe('a card', () => {
  const failure = errorOfAnswer(new Response('', { status: 503, statusText: 'Away' }), '')
  const show = (query: object) =>
    render(
      <DataCard
        title="热门事件"
        query={{ ...there, data: undefined as string | undefined, ...query }}
        skeleton={<i>…</i>}
      >
        {(data) => <b>{data}</b>}
      </DataCard>,
    )

  it('waits by itself', () => {
    show({})
    expect(screen.getByRole('status').textContent).toBe('加载中…')
  })

  it('fails by itself, and tries again', async () => {
    const refetch = vi.fn()
    show({ error: failure, refetch })
    expect(screen.getByRole('alert').textContent).toContain('Away')
    await userEvent.click(screen.getByRole('button', { name: /^重\s?试$/ }))
    expect(refetch).toHaveBeenCalledOnce()
  })

  it('keeps what it had where an update fails', () => {
    show({ data: 'page_view', error: failure })
    expect(screen.getByText('page_view')).toBeShown()
    expect(screen.getByRole('alert').textContent).toContain('显示的是之前的数据')
  })
})

it('lists values with counts and their part of the whole', () => {
  render(
    <BarList
      label="浏览器"
      heading="浏览器"
      columns={['事件数', '用户']}
      rows={[{ key: 'c', name: 'Chrome', share: 0.25, counts: [1234, 56] }]}
    />,
  )
  const row = screen.getByRole('row', { name: /Chrome/ })
  expect(within(row).getByRole('rowheader').textContent).toBe('Chrome')
  expect(
    within(row)
      .getAllByRole('cell')
      .map((cell) => cell.textContent),
  ).toEqual(['1,234', '56', '25%'])
})

it('draws nothing of what lies ahead, and dashes the way to what is so far', () => {
  const { container } = render(<Sparkline values={[0, 10, 5, null, null]} partial={2} />)
  const [area, line, soFar] = [...container.querySelectorAll('path')].map((path) =>
    path.getAttribute('d'),
  )
  expect(area).toBe('M0 30 L25 2 L50 16 L50 32 L0 32 Z')
  expect([line, soFar]).toEqual(['M0 30 L25 2', 'M25 2 L50 16'])
})

it('draws a course from edge to edge, the most at the top', () => {
  expect(pathOf([0, 5, 10], 10)).toBe('M0 30 L50 16 L100 2')
})
