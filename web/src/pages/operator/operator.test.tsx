import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it, vi } from 'vitest'
import { environmentQuery, type Environment } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { PersonMenu } from '../../layouts/PersonMenu'
import { rememberUser } from '../../session/session'
import { refusedRoute, spaced, user } from '../../testing/app'
import { anEnvironment, aUser, ok, refusal, stubServer } from '../../testing/server'
import ErrorPage from './ErrorPage'
import ErrorsPage from './ErrorsPage'
import LinksPage from './LinksPage'
import SessionsPage from './SessionsPage'
import { stackText } from './stackText'

const GROUP = {
  id: 'g-1',
  kind: 'TypeError',
  message: 'x is undefined',
  reports: 1234,
  people: 7,
  first_seen_at: '2026-01-01T00:00:00.000Z',
  last_seen_at: '2026-01-02T00:00:00.000Z',
}
const REPORT = {
  id: 'r-1',
  at: '2026-01-02T00:00:00.000Z',
  person: { id: 'u-1', name: '王芳' },
  route: '/pwdReset/:token',
  release: 'v25.10.202',
  browser: 'Chrome on macOS',
  has_replay: true,
}
const DETAIL = {
  group: GROUP,
  latest: {
    report: REPORT,
    exceptions: [
      {
        kind: 'TypeError',
        message: 'x is undefined',
        frames: [{ function: 'draw', file: '/v25.10.202/assets/Apps-1.js', line: 3, column: 9 }],
      },
    ],
    breadcrumbs: [{ at: 1_767_312_000, category: 'navigation', message: '/ → /login' }],
  },
}

function show(path: string, answers: Parameters<typeof stubServer>[0], operator = true) {
  rememberUser({ ...aUser, operator })
  const seen = stubServer(answers)
  const router = createMemoryRouter(
    [
      refusedRoute,
      { path: '/operator/links', element: <LinksPage /> },
      { path: '/operator/sessions', element: <SessionsPage /> },
      { path: '/operator/errors', element: <ErrorsPage /> },
      { path: '/operator/errors/:groupId', element: <ErrorPage /> },
      { path: '*', element: <PersonMenu /> },
    ],
    { initialEntries: [path] },
  )
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  return { seen, router }
}

const list = (items: object[]) => ok({ items, total: items.length })

describe('all errors', () => {
  it('shows each kind with how many, whom and when, the latest first', async () => {
    const { seen } = show('/operator/errors', { '/error-groups': list([GROUP]) })
    expect(screen.getByRole('status').textContent).toBe('加载中')
    const [, row] = await screen.findAllByRole('row')
    const link = within(row!).getByRole('link', { name: /TypeError\s*x is undefined/ })
    expect(link.getAttribute('href')).toBe('/operator/errors/g-1')
    expect(within(row!).getByText('1,234')).toBeShown()
    expect(within(row!).getByText('7')).toBeShown()
    expect(seen[0]!.query).toContain('sort=last_seen_at&order=desc')
  })

  it('says what failed, with its id, and tries again', async () => {
    const answers: Record<string, () => Response> = {
      '/error-groups': refusal(500, '', { 'x-request-id': 'req-7' }),
    }
    show('/operator/errors', answers)
    expect((await screen.findByRole('alert')).textContent).toContain('req-7')
    answers['/error-groups'] = list([GROUP])
    await user.click(screen.getByRole('button', { name: spaced('重试') }))
    expect(await screen.findByText('x is undefined')).toBeShown()
  })

  it.each([
    [{ dsn: '', tunnel: '', kept: true }, '没有错误'],
    [{ dsn: '', tunnel: '', kept: false }, '错误报告已转发'],
    [null, '错误报告已关闭'],
  ])('tells why there are none: %o', async (error_reporting, title) => {
    const environment = { ...anEnvironment, error_reporting } as unknown as Environment
    queryClient.setQueryData(environmentQuery.queryKey, environment)
    show('/operator/errors', { '/error-groups': list([]) })
    expect((await screen.findByRole('heading', { level: 2 })).textContent).toBe(title)
  })

  it('is for those who run the instance', async () => {
    const { seen } = show('/operator/errors', {}, false)
    expect(await screen.findByText('refused: /operator/errors')).toBeShown()
    expect(seen).toEqual([])
  })
})

describe('one error', () => {
  const answers = { '/error-groups/g-1': ok(DETAIL), '/error-groups/g-1/reports': list([REPORT]) }

  it('shows where it was thrown, what happened before and each time', async () => {
    show('/operator/errors/g-1', answers)
    const stack = await screen.findByRole('group', { name: '堆栈' })
    expect(stack.textContent).toBe(
      'TypeError: x is undefined\n    at draw (/v25.10.202/assets/Apps-1.js:3:9)',
    )
    expect(screen.getByText('/ → /login')).toBeShown()
    expect(screen.getAllByText('/pwdReset/:token').length).toBeGreaterThan(0)
    expect(await screen.findByText('王芳')).toBeShown()
    expect(screen.getByRole('button', { name: '下载回放' })).toBeShown()
  })

  it('says where only the count is left', async () => {
    show('/operator/errors/g-1', {
      '/error-groups/g-1': ok({ group: GROUP, latest: null }),
      '/error-groups/g-1/reports': list([]),
    })
    expect(await screen.findByRole('heading', { name: '没有保留的报告' })).toBeShown()
    expect(screen.getByText('1,234')).toBeShown()
  })

  it('says where it is gone', async () => {
    show('/operator/errors/g-1', { '/error-groups/g-1': refusal(404) })
    expect(await screen.findByText('该错误已不在列表中')).toBeShown()
  })

  it('fails with a retry', async () => {
    show('/operator/errors/g-1', {
      '/error-groups/g-1': refusal(503, '', { 'x-request-id': 'req-8' }),
    })
    expect((await screen.findByRole('alert')).textContent).toContain('req-8')
  })

  it('is removed after a question', async () => {
    const { seen, router } = show('/operator/errors/g-1', {
      ...answers,
      'DELETE /error-groups/g-1': ok({}),
      '/error-groups': list([]),
    })
    await user.click(await screen.findByRole('button', { name: spaced('删除') }))
    const dialog = await screen.findByRole('dialog', { name: '删除这个错误？' })
    await user.click(within(dialog).getByRole('button', { name: spaced('删除') }))
    await waitFor(() => expect(router.state.location.pathname).toBe('/operator/errors'))
    expect(seen.some(({ method }) => method === 'DELETE')).toBe(true)
  })
})

describe('the way there', () => {
  it.each([
    [true, 1],
    [false, 0],
  ])('stands in the menu of those who run the instance: %s', async (operator, count) => {
    show('/elsewhere', {}, operator)
    await user.click(screen.getByRole('button', { name: /账号菜单/ }))
    await screen.findByRole('menuitem', { name: /退出登录/ })
    expect(screen.queryAllByRole('menuitem', { name: /控制台错误/ }).length).toBe(count)
  })
})

it('writes causes after what they caused', () => {
  const frames = [{ function: null, file: 'a.js', line: 1, column: null }]
  const text = stackText([
    { kind: 'Error', message: 'outer', frames },
    { kind: 'TypeError', message: 'inner', frames: [] },
  ])
  expect(text).toBe('Error: outer\n    at a.js:1\nCaused by: TypeError: inner')
})

describe("people's sessions", () => {
  const session = (id: string) => ({
    id,
    created_at: '2026-01-01T00:00:00.000Z',
    last_seen_at: '2026-01-02T00:00:00.000Z',
    ip: '203.0.113.7',
    user_agent: `Chrome on ${id}`,
  })
  const account = (...ids: string[]) =>
    ok({ user_id: 'u-1', email: 'wang@example.com', name: '王芳', sessions: ids.map(session) })

  it('are found by the whole address and ended one by one or together', async () => {
    const answers = {
      '/operator/sessions': account('macOS', 'Windows'),
      '/operator/sessions/end': ok({ ended: 1 }),
    }
    const { seen } = show('/operator/sessions', answers)
    await user.type(screen.getByRole('searchbox'), 'wang@example.com')
    expect(await screen.findByText(/Chrome on Windows/)).toBeShown()
    expect(seen.every(({ query }) => query === 'email=wang%40example.com')).toBe(true)
    const [first] = screen.getAllByRole('button', { name: '退出登录' })
    await user.click(first!)
    const dialog = await screen.findByRole('dialog')
    answers['/operator/sessions'] = account('Windows')
    await user.click(within(dialog).getByRole('button', { name: '退出登录' }))
    await waitFor(() => expect(screen.queryByText(/Chrome on macOS/)).toBeNull())
    const ended = seen.filter(({ method }) => method === 'POST')
    expect(ended.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { email: 'wang@example.com', session_id: 'macOS' },
    ])
  })

  it('says that nobody has the address', async () => {
    show('/operator/sessions', { '/operator/sessions': refusal(404) })
    await user.type(screen.getByRole('searchbox'), 'nobody@example.com')
    expect(await screen.findByText('没有使用这个邮箱的账号。')).toBeShown()
  })
})

describe('links that no mail brings', () => {
  const LINK = {
    id: 'l-1',
    kind: 'password_reset',
    email: 'lin@example.com',
    created_at: '2026-11-01T00:00:00Z',
    expires_at: '2999-01-01T00:00:00Z',
  }
  const withMail = (mail_configured: boolean) =>
    queryClient.setQueryData(environmentQuery.queryKey, {
      ...anEnvironment,
      mail_configured,
    } as unknown as Environment)

  it('are listed, and one is made and copied after what that means was said', async () => {
    withMail(false)
    const written: string[] = []
    vi.stubGlobal('navigator', {
      ...navigator,
      language: 'zh-CN',
      clipboard: { writeText: (text: string) => Promise.resolve(void written.push(text)) },
    })
    const { seen } = show('/operator/links', {
      '/operator/links': ok({ items: [LINK] }),
      '/operator/links/l-1': ok({
        link: 'https://a.example/pwdReset/t',
        expires_at: LINK.expires_at,
      }),
    })
    expect(await screen.findByText(/^重置密码/)).toBeShown()
    await user.click(screen.getByRole('button', { name: '复制给 lin@example.com 的链接' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/之前的链接随即失效/)).toBeShown()
    expect(seen.filter(({ method }) => method === 'POST')).toEqual([])
    await user.click(dialog.getByRole('button', { name: '复制给 lin@example.com 的链接' }))
    expect(await dialog.findByText('https://a.example/pwdReset/t')).toBeShown()
    await waitFor(() => expect(written).toEqual(['https://a.example/pwdReset/t']))
    vi.unstubAllGlobals()
  })

  it('are nobody’s business where mails are sent', () => {
    withMail(true)
    const { seen } = show('/operator/links', {})
    expect(screen.getByRole('status').textContent).toContain('链接会直接发给本人')
    expect(seen).toEqual([])
  })
})
