import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { BoardProvider } from '../../../components/figures/board'
import { showInApp } from '../../../testing/app'
import { ok } from '../../../testing/server'
import { useAppBoard } from './useAppBoard'
import { Visits } from './Visits'

const group = (value: string | null, total: number, more = {}) => ({
  values: [value],
  other: false,
  redacted: [false],
  total,
  points: [total],
  ...more,
})

const answer = (views: unknown[], people: unknown[]) =>
  ok({
    kind: 'trend',
    times: [0],
    partial: null,
    series: [views, people].map((groups) => ({ total: 0, points: [0], groups, before: null })),
    formula: null,
    compared: null,
    computed_at: 0,
    rows_read: 0,
  })

function Board() {
  const board = useAppBoard()
  return (
    <BoardProvider value={board}>
      <Visits range={board.params.range} />
    </BoardProvider>
  )
}

const show = (may: string[], answers = {}) =>
  showInApp(<Board />, { may, search: '?range=2026-10-01..2026-10-02', answers } as never)

describe('visits', () => {
  it('lists pages and sites by their views, with the people beside them', async () => {
    const rest = { values: [null], other: true }
    const seen = show(['app:view', 'dashboard:view', 'query:run'], {
      '/apps/app-1/analyses/run': answer(
        [group(null, 40), group('example.com', 50), group(null, 10, rest)],
        [group(null, 30), group('example.com', 20), group(null, 9, rest)],
      ),
    })
    const table = await screen.findByRole('table', { name: '来源网站' })
    const rows = within(table).getAllByRole('row').slice(1)
    expect(rows.map((row) => row.textContent)).toEqual([
      'example.com502050%',
      '直接访问或未知403040%',
      '其他10910%',
    ])
    expect(within(table).getByRole('link', { name: 'example.com' })).toBeTruthy()
    const asked = seen
      .filter(({ path }) => path.endsWith('/analyses/run'))
      .map(({ body }) => JSON.parse(body) as { breakdown: string[] })
    expect(asked.map(({ breakdown }) => breakdown[0]).sort()).toEqual([
      '$referring_site',
      '$url_path',
    ])
  })

  it('asks nothing for who may not ask', () => {
    const seen = show(['app:view', 'dashboard:view'])
    expect(screen.queryByRole('region', { name: '热门页面' })).toBeNull()
    expect(seen.some(({ path }) => path.endsWith('/analyses/run'))).toBe(false)
  })
})
