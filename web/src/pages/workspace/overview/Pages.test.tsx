import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { OverallPages } from '../../../api/overall'
import { BoardProvider } from '../../../components/figures/board'
import { Pages } from '../../../components/figures/Pages'
import { showInApp } from '../../../testing/app'
import { ok } from '../../../testing/server'
import { useAppBoard } from './useAppBoard'

const NOTHING: OverallPages = { ready: true, top: [], entries: [], exits: [], sites: [] }

const SOME: OverallPages = {
  ready: true,
  top: [
    { page: '/docs', page_views: 60, users: 20, other: false },
    { page: '', page_views: 30, users: 10, other: false },
    { page: 'other', page_views: 10, users: 9, other: true },
  ],
  entries: [{ page: '/', visits: 7, other: false }],
  exits: [],
  sites: [
    { site: 'example.com', page_views: 50, users: 20, other: false },
    { site: '', page_views: 40, users: 30, other: false },
    { site: '***', page_views: 10, users: 9, other: false },
  ],
}

function Board() {
  return (
    <BoardProvider value={useAppBoard()}>
      <Pages />
    </BoardProvider>
  )
}

const show = (pages: OverallPages, may = ['app:view', 'dashboard:view', 'query:run']) =>
  showInApp(<Board />, {
    may,
    search: '?range=2026-10-01..2026-10-02',
    answers: { '/orgs/org-1/data-overall': ok({ pages, can_export: false }) },
  } as never)

const rowsOf = async (name: string) => {
  const table = await screen.findByRole('table', { name })
  const rows = within(table).getAllByRole('row').slice(1)
  return rows.map((row) => row.textContent)
}

describe('pages', () => {
  it('are listed with their views and people, and visits by the page they begin with', async () => {
    const seen = show(SOME)
    expect(await rowsOf('热门页面')).toEqual(['/docs602060%', '未上报301030%', '其他10910%'])
    expect(await rowsOf('来源网站')).toEqual([
      'example.com502050%',
      '直接访问或未知403040%',
      '已隐藏10910%',
    ])
    expect(await rowsOf('进入页')).toEqual(['/7100%'])
    expect(screen.getByText('这段时间没有结束的访问。')).toBeTruthy()
    const asked = seen.filter(({ path }) => path.endsWith('/data-overall'))
    expect(asked.map(({ body }) => (JSON.parse(body) as { parts: string[] }).parts)).toEqual([
      ['pages'],
    ])
  })

  it('lead to their trends, but for what is hidden or together', async () => {
    show(SOME)
    const links = async (name: string) => {
      const table = await screen.findByRole('table', { name })
      return within(table)
        .getAllByRole('link')
        .map((link) => [link.textContent, new URL((link as HTMLAnchorElement).href).search])
    }
    const sites = await links('来源网站')
    expect(sites.map(([name]) => name)).toEqual(['example.com', '直接访问或未知'])
    const question = decodeURIComponent(sites[0]![1]!)
    expect(question).toContain('$referring_site')
    expect(question).toContain('page_view')
    expect((await links('热门页面')).map(([name]) => name)).toEqual(['/docs', '未上报'])
  })

  it('are there for who may not ask, without links', async () => {
    show(SOME, ['app:view', 'dashboard:view'])
    const table = await screen.findByRole('table', { name: '热门页面' })
    expect(within(table).queryByRole('link')).toBeNull()
  })

  it('say what is missing: page views, or counts that are still being made', async () => {
    show(NOTHING)
    expect(await screen.findAllByText('这段时间没有页面浏览。')).toHaveLength(2)
  })

  it('say that they are being counted', async () => {
    show({ ...NOTHING, ready: false })
    const told = await screen.findAllByText('正在统计升级前的历史数据，完成后会自动显示。')
    expect(told).toHaveLength(4)
  })
})
