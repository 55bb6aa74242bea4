import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { Analysis } from '../../../api/analyses'
import type { PathNode } from '../../../api/analysisTypes'
import { EMPTY, type TrendDraft } from '../../../components/analyses/question'
import { showInApp, user } from '../../../testing/app'
import { aUser, ok } from '../../../testing/server'
import AnalysesPage from './AnalysesPage'
import { examplesOf } from './exampleQuestions'
import { narrowed, startedAt } from './Result'

const one = (id: string, changes: Partial<Analysis> = {}): Analysis => ({
  id,
  name: id,
  description: null,
  shared: false,
  kind: 'funnel',
  question: {},
  created_by: { id: 'u1', name: '林小雨' },
  created_at: aUser.created_at,
  updated_at: aUser.created_at,
  version: 1,
  may_change: true,
  mine: true,
  redacted: false,
  ...changes,
})

function show(items: Analysis[], search = '') {
  return showInApp(<AnalysesPage />, {
    may: ['app:view', 'query:run', 'event:view'],
    search,
    answers: {
      '/apps/app-1/analyses': ok({ items, total: items.length }),
      '/apps/app-1/events': ok({
        items: [{ event: 'landing' }, { event: 'signup' }],
        total: 2,
        can_manage: false,
      }),
      'DELETE /apps/app-1/analyses/注册漏斗': ok({}),
    },
  })
}

describe('the list of analyses', () => {
  it('has a way into each of the seven kinds', async () => {
    show([one('注册漏斗')])
    const kinds = within(await screen.findByRole('navigation', { name: '新建分析' }))
    expect(kinds.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      ...['trend', 'funnel', 'retention', 'paths', 'distribution', 'lifecycle'].map(
        (kind) => `/org-id/org-1/app-id/app-1/analyses/${kind}`,
      ),
      '/org-id/org-1/app-id/app-1/cohorts',
    ])
  })

  it('leads to what was kept, and asks for the newest first', async () => {
    const seen = show([one('注册漏斗')])
    const link = await screen.findByRole('link', { name: '注册漏斗' })
    expect(link.getAttribute('href')).toMatch(/\/analyses\/funnel\?saved=/)
    const asked = seen.find(({ path }) => path === '/apps/app-1/analyses')!
    expect(Object.fromEntries(new URLSearchParams(asked.query))).toMatchObject({
      sort: 'updated_at',
      order: 'desc',
    })
    expect(screen.queryByRole('region', { name: '试试这些问题' })).toBeNull()
  })

  it('can be narrowed down to one’s own', async () => {
    const shared = one('团队', { shared: true, mine: false, may_change: false })
    show([one('我的'), shared], '?whose=mine')
    expect(await screen.findByRole('link', { name: '我的' })).toBeShown()
    expect(screen.queryByRole('link', { name: '团队' })).toBeNull()
  })

  it('looks through all of them for those, however many there are', async () => {
    const many = Array.from({ length: 150 }, (_, at) =>
      one(`分析 ${at}`, { mine: at === 120, shared: at !== 120 }),
    )
    const pages = [many.slice(0, 100), many.slice(100)]
    const seen = showInApp(<AnalysesPage />, {
      may: ['app:view', 'query:run'],
      search: '?whose=mine&search=x',
      answers: {
        '/apps/app-1/analyses': () => ok({ items: pages.shift() ?? [], total: 150 })(),
      },
    })
    expect(await screen.findByRole('link', { name: '分析 120' })).toBeShown()
    expect(screen.queryByRole('link', { name: '分析 0' })).toBeNull()
    const asked = seen.map(({ query }) => Object.fromEntries(new URLSearchParams(query)))
    const sorted = { search: 'x', sort: 'updated_at', order: 'desc' }
    expect(asked).toEqual([
      { page: '1', page_size: '100', ...sorted },
      { page: '2', page_size: '100', ...sorted },
    ])
  })

  it('offers questions about the app’s own events where nothing was kept', async () => {
    show([])
    const examples = within(await screen.findByRole('region', { name: '试试这些问题' }))
    const texts = examples.getAllByRole('link').map((link) => link.textContent)
    expect(texts).toContain('在 landing 后 7 天内完成 signup 的用户')
  })

  it('throws one away after asking', async () => {
    const seen = show([one('注册漏斗')])
    await user.click(await screen.findByRole('button', { name: '“注册漏斗”的操作' }))
    await user.click(await screen.findByText('删除'))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: /删\s?除/ }))
    await waitFor(() => expect(seen.some(({ method }) => method === 'DELETE')).toBe(true))
  })
})

describe('examples', () => {
  it('are about events that there are', () => {
    expect(examplesOf([])).toEqual([])
    expect(examplesOf(['a']).map(({ kind }) => kind)).not.toContain('funnel')
  })
})

describe('a question that follows from an answer', () => {
  it('is of one group alone, beside what must hold already', () => {
    const draft: TrendDraft = {
      ...EMPTY.trend,
      breakdown: ['$os', 'plan'],
      filters: { any: [{ property: 'a', operator: 'set', values: [] }] },
    }
    const group = { values: ['iOS', null], other: false, redacted: [false, false] }
    expect(narrowed(draft, group)).toEqual({
      ...EMPTY.trend,
      filters: {
        all: [
          draft.filters,
          { property: '$os', operator: 'is', values: ['iOS'] },
          { property: 'plan', operator: 'not_set', values: [] },
        ],
      },
    })
  })

  it('is of those in a cohort, or of all others, with the rest of the breakdown', () => {
    const narrowedTo = (values: (string | null)[]) => {
      // Unnamed properties were never asked for, so they have no value.
      const draft: TrendDraft = {
        ...EMPTY.trend,
        breakdown: ['$user:', '$cohort:c1', '$user:plan'],
      }
      return narrowed(draft, { values, other: false, redacted: [false, false] }).filters
    }
    expect(narrowedTo(['in', 'pro'])).toEqual({
      all: [
        { property: '$cohort:c1', operator: 'is', values: [] },
        { property: '$user:plan', operator: 'is', values: ['pro'] },
      ],
    })
    expect(narrowedTo(['out', null])).toEqual({
      all: [
        { property: '$cohort:c1', operator: 'is_not', values: [] },
        { property: '$user:plan', operator: 'not_set', values: [] },
      ],
    })
  })

  it('starts at a node, or ends there', () => {
    const node: PathNode = { kind: 'event', name: 'page_view', page: '/cart' }
    const at = {
      events: ['page_view'],
      filters: { all: [{ property: '$url_path', operator: 'is', values: ['/cart'] }] },
    }
    expect(startedAt(EMPTY.paths, node)).toEqual({ ...EMPTY.paths, from: at })
    const to = { kind: 'paths' as const, to: { events: ['x'] }, steps: 3 }
    expect(startedAt(to, { ...node, page: null })).toEqual({ ...to, to: { events: ['page_view'] } })
  })
})
