import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { PathNode, PathsAnswer, PathsQuestion } from '../../../api/analysisTypes'
import { showInApp, user } from '../../../testing/app'
import { anEngine, clickDrawn, drawnSeries, resizeDrawn } from '../../../testing/chart'
import * as charts from '../../charts/loadEngine'
import * as narrow from '../../table/useIsNarrow'
import { flowsOf, pickOfPlace, placesOf } from './flows'
import { PathsResult } from './index'

beforeEach(() => void vi.spyOn(charts, 'loadEngine').mockResolvedValue(anEngine()))

const node = (name: string, page: string | null = null): PathNode => ({ kind: 'event', name, page })
const HOME = node('page_view', '/')
const CART = node('page_view', '/cart')
const REST: PathNode = { kind: 'other', name: null, page: null }
const SECRET: PathNode = { kind: 'hidden', name: null, page: null }

const question: PathsQuestion = {
  kind: 'paths',
  start: '2026-03-01',
  end: '2026-03-02',
  from: { events: ['page_view'] },
  steps: 2,
}
const answer: PathsAnswer = {
  kind: 'paths',
  computed_at: '2026-11-01T00:00:00.000Z',
  rows_read: 0,
  side: 'from',
  people: 1234,
  links: [
    { step: 1, source: HOME, target: CART, people: 600 },
    { step: 1, source: HOME, target: REST, people: 300 },
    { step: 2, source: CART, target: HOME, people: 200 },
    { step: 2, source: CART, target: SECRET, people: 9 },
  ],
}

function show(props: Partial<React.ComponentProps<typeof PathsResult>> = {}) {
  const [onPick, onStart] = [vi.fn(), vi.fn()]
  const all = { question, answer, onPick, onStart, ...props }
  showInApp(<PathsResult {...all} />, { may: [], answers: {} })
  return { onPick, onStart }
}

const isDrawn = () => waitFor(() => expect(drawnSeries()[0]?.type).toBe('sankey'))
const idOf = (at: PathNode, distance: number) =>
  placesOf(flowsOf(answer)).find(
    (place) => place.distance === distance && place.node.page === at.page,
  )!.id

it('gives names as much room as the window leaves, also when it changes', async () => {
  show()
  await isDrawn()
  const room = () => drawnSeries()[0]!.label!.width!
  const before = room()
  act(() => resizeDrawn(700))
  expect(room()).toBeCloseTo(before - 100)
})

describe('eight steps', () => {
  const links = Array.from({ length: 8 }, (_, index) => ({
    step: index + 1,
    source: node(`event ${index}`),
    target: node(`event ${index + 1}`),
    people: 9,
  }))
  const leastWidth = () =>
    parseFloat(screen.getByRole('img').closest<HTMLElement>('[style*="min-width"]')!.style.minWidth)

  it('fit the card beside the builder on a usual screen, with labels to read', async () => {
    // The card at 1280 pixels.
    const card = 558
    show({ answer: { ...answer, links } })
    await isDrawn()
    act(() => resizeDrawn(card))
    expect(leastWidth()).toBeLessThanOrEqual(card)
    const { label, nodeWidth, right } = drawnSeries()[0]!
    // Every column, also the last, has room for its node and label.
    expect(right! + nodeWidth!).toBeCloseTo(card / 9)
    expect(nodeWidth! + label!.distance! + label!.width!).toBeLessThan(card / 9)
    expect(label!.width).toBeGreaterThan(40)
    expect(label!.overflow).toBe('truncate')
  })

  it('scroll on a phone, with whole labels', async () => {
    vi.spyOn(narrow, 'useIsNarrow').mockReturnValue(true)
    show({ answer: { ...answer, links } })
    await isDrawn()
    expect(leastWidth()).toBe(9 * 112)
  })
})

it('draws flows between columns, in which an event can stand again', async () => {
  show()
  await isDrawn()
  const [sankey] = drawnSeries()
  expect(sankey!.data).toMatchObject([
    { told: '/', depth: 0 },
    { told: '/cart', depth: 1 },
    { told: '其他行为', depth: 1 },
    { told: '/', depth: 2 },
    { told: '已隐藏的事件', depth: 2 },
  ])
  expect(sankey!.links!.map(({ value }) => value)).toEqual([600, 300, 200, 9])
  expect(screen.getByText('从这里开始的用户：1,234')).toBeShown()
  // For screen readers.
  expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(5)
})

it('offers people and the next start of the node that is chosen', async () => {
  const { onPick, onStart } = show()
  await isDrawn()
  act(() => void clickDrawn({ dataType: 'node', data: { name: idOf(CART, 1) } }))
  const chosen = within(screen.getByRole('group', { name: '选中的节点' }))
  await user.click(chosen.getByRole('button', { name: '查看用户' }))
  expect(onPick).toHaveBeenLastCalledWith({ of: 'paths', step: 1, source: null, target: CART })
  await user.click(chosen.getByRole('button', { name: '以此为起点' }))
  expect(onStart).toHaveBeenCalledExactlyOnceWith(CART)
})

it('leads from a flow to who took it', async () => {
  const { onPick } = show()
  await isDrawn()
  const data = { source: idOf(CART, 1), target: idOf(HOME, 2) }
  act(() => void clickDrawn({ dataType: 'edge', data }))
  expect(onPick).toHaveBeenLastCalledWith({ of: 'paths', step: 2, source: CART, target: HOME })
})

it('offers no people without permission, and the next start all the same', async () => {
  const { onStart } = show({ onPick: null })
  await isDrawn()
  act(() => void clickDrawn({ dataType: 'node', data: { name: idOf(CART, 1) } }))
  const chosen = within(screen.getByRole('group', { name: '选中的节点' }))
  expect(chosen.queryByRole('button', { name: '查看用户' })).toBeNull()
  await user.click(screen.getByRole('radio', { name: '明细表' }))
  const [, first, second] = screen.getAllByRole('row')
  await user.click(within(first!).getByRole('button'))
  expect(onStart).toHaveBeenLastCalledWith(CART)
  // Other nodes aren't events to start from.
  expect(within(second!).queryByRole('button')).toBeNull()
})

it('has every link in a table that leads on', async () => {
  const { onPick } = show()
  await user.click(screen.getByRole('radio', { name: '明细表' }))
  const row = screen.getAllByRole('row')[4]!
  expect(row.textContent).toBe('2page_view /cart已隐藏的事件9')
  await user.click(within(row).getByRole('button'))
  expect(onPick).toHaveBeenLastCalledWith({ of: 'paths', step: 2, source: CART, target: SECRET })
})

it('says so where nobody began, or nothing followed', () => {
  show({ answer: { ...answer, people: 0, links: [] } })
  expect(screen.getByText(/没有符合条件的数据/)).toBeShown()
  show({ answer: { ...answer, links: [] } })
  expect(screen.getByText(/之后没有别的行为/)).toBeShown()
})

describe('paths that end somewhere', () => {
  const links = [
    { step: 1, source: CART, target: HOME, people: 5 },
    { step: 2, source: REST, target: CART, people: 3 },
  ]
  const flows = flowsOf({ side: 'to', links })

  it('are counted from their end', () => {
    expect(flows.map(({ source, target }) => [source.distance, target.distance])).toEqual([
      [1, 0],
      [2, 1],
    ])
  })

  it('tell the people of a node by how far it is from there', () => {
    const picks = placesOf(flows).map(pickOfPlace)
    expect(picks).toEqual([
      { of: 'paths', step: 1, source: null, target: CART },
      { of: 'paths', step: 0, source: null, target: HOME },
      { of: 'paths', step: 2, source: null, target: REST },
    ])
  })
})
