import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { ExploreAnswer } from '../../../api/explore'
import type { ChartSeries } from '../../../components/charts/series'
import { saveFile } from '../../../lib/saveFile'
import { showInApp, user } from '../../../testing/app'
import { ok, refusal, type SeenRequest } from '../../../testing/server'
import type { AppPermission } from '../../../session/access'
import ExplorePage from './ExplorePage'

vi.mock('../../../lib/saveFile', () => ({ saveFile: vi.fn() }))
// Drawing is the chart's own business; here it is which lines it is given.
vi.mock('../../../components/charts/LineChart', async (original) => ({
  ...(await original<object>()),
  LineChart: ({ series, ariaLabel }: { series: ChartSeries[]; ariaLabel: string }) => (
    <ul aria-label={ariaLabel}>
      {series.map(({ key, name, values }) => (
        <li key={key}>
          {name}: {values.join(' ')}
        </li>
      ))}
    </ul>
  ),
}))

const MAY: AppPermission[] = ['app:view', 'query:run', 'event:view']
const answer: ExploreAnswer = {
  times: [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 2)],
  total: 12,
  groups: [
    { value: 'Windows', other: false, redacted: false, total: 6, points: [2, 4] },
    { value: null, other: false, redacted: false, total: 3, points: [3, 0] },
    { value: null, other: false, redacted: true, total: 2, points: [1, 1] },
    { value: null, other: true, redacted: false, total: 1, points: [0, 1] },
  ],
}

function show(shown: Partial<Parameters<typeof showInApp>[1]> = {}) {
  return showInApp(<ExplorePage />, {
    may: MAY,
    ...shown,
    answers: {
      '/apps/app-1/explore': ok(answer),
      '/apps/app-1/explore/values': ok({
        items: ['Windows', 'iOS'].map((value) => ({ value, events: 1 })),
      }),
      '/apps/app-1/event-properties': ok({ sampled: 0, items: [], more: 0 }),
      '/apps/app-1/events': ok({ items: [{ event: 'order' }], total: 1, can_manage: false }),
      ...shown.answers,
    },
  })
}

const asked = (seen: SeenRequest[], path = '/apps/app-1/explore') =>
  seen
    .filter((request) => request.path === path && request.method === 'POST')
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>)

describe('the explorer', () => {
  it('asks what the address says, in the app’s own time zone', async () => {
    const seen = show({
      search:
        '?event=order&measure=users&group=%24os&filter=%24os~is~Windows&filter=plan~is&range=2026-11-01..2026-11-02&granularity=day',
    })
    expect(await screen.findByRole('list', { name: 'order · 用户数' })).toBeShown()
    expect(asked(seen)).toEqual([
      {
        event: 'order',
        measure: 'users',
        group_by: '$os',
        filters: [{ property: '$os', operator: 'is', values: ['Windows'] }],
        start: '2026-11-01',
        end: '2026-11-02',
        granularity: 'day',
        timezone: 'Asia/Shanghai',
      },
    ])
  })

  it('says that a total is so far where the time is not over', async () => {
    const points = [3, null]
    const group = { value: null, other: false, redacted: false, total: 3, points }
    const unfinished = { ...answer, partial: answer.times[0], total: 3, groups: [group] }
    show({ answers: { '/apps/app-1/explore': ok(unfinished) } })
    expect((await screen.findByText('合计')).parentElement!.textContent).toBe('合计 3 截至目前')
  })

  it('draws and lists the groups, also those without a value and the rest', async () => {
    show({ search: '?group=%24os' })
    const chart = await screen.findByRole('list', { name: '任意事件 · 次数' })
    expect(
      within(chart)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(['Windows: 2 4', '未设置: 3 0', '已隐藏: 1 1', '其他: 0 1'])
    const table = within(screen.getByRole('table', { name: '各组数据' }))
    expect(table.getAllByRole('row').map((row) => row.textContent)).toEqual([
      '操作系统次数占比走势',
      'Windows650%',
      '未设置325%',
      '已隐藏216.7%',
      '其他18.3%',
    ])
  })

  it('has no shares where someone can be in two groups', async () => {
    show({ search: '?group=%24os&measure=users' })
    const table = within(await screen.findByRole('table', { name: '各组数据' }))
    expect(table.queryByText('占比')).toBeNull()
  })

  it('is changed by choosing, and each choice is in the address', async () => {
    const seen = show()
    await waitFor(() => expect(asked(seen)).toHaveLength(1))
    const event = screen.getByRole('combobox', { name: '事件' })
    await user.click(event)
    await user.click((await screen.findAllByText('order')).at(-1)!)
    await waitFor(() => expect(asked(seen).at(-1)).toMatchObject({ event: 'order' }))
    await user.click(screen.getByRole('radio', { name: '人均次数' }))
    await waitFor(() => expect(asked(seen).at(-1)).toMatchObject({ measure: 'per_user' }))
  })

  it('filters by suggested values once there is one', async () => {
    const seen = show()
    await waitFor(() => expect(asked(seen)).toHaveLength(1))
    await user.click(screen.getByRole('button', { name: /添加条件/ }))
    const values = await screen.findByRole('combobox', { name: '第 1 个条件的值' })
    await user.click(values)
    await user.click(await screen.findByText('iOS'))
    await waitFor(() =>
      expect(asked(seen).at(-1)).toMatchObject({
        filters: [{ property: '$os', operator: 'is', values: ['iOS'] }],
      }),
    )
    // Adding the row asked nothing.
    expect(asked(seen)).toHaveLength(2)
    await user.click(screen.getByRole('button', { name: '移除第 1 个条件' }))
    expect(screen.queryByRole('combobox', { name: '第 1 个条件的值' })).toBeNull()
  })

  it('offers people as a property only to those who may see them', async () => {
    show({ may: [...MAY, 'profile:pii'] })
    await user.click(await screen.findByRole('combobox', { name: '分组' }))
    expect(await screen.findByText('用户 ID')).toBeShown()
  })

  it('does not offer them to others, and says why where the address asks for them', async () => {
    const errors = [{ error: '需要“查看个人信息”权限', code: 'personal_data' }]
    show({
      search: '?group=%24user_id',
      answers: { '/apps/app-1/explore': refusal(403, { message: '', errors }) },
    })
    expect((await screen.findByRole('alert')).textContent).toContain('查看个人信息')
    await user.click(screen.getByRole('combobox', { name: '分组' }))
    expect(await screen.findByText('页面路径')).toBeShown()
    expect(screen.queryAllByRole('option', { name: '用户 ID' })).toEqual([])
  })
})

describe('taking the answer out', () => {
  it('is not offered without the permission', async () => {
    show()
    expect(await screen.findByText('12')).toBeShown()
    expect(screen.queryByRole('button', { name: /^导出.*CSV/ })).toBeNull()
  })

  it('is the same question as a file', async () => {
    const save = vi.mocked(saveFile)
    const seen = show({
      may: [...MAY, 'event:export'],
      search: '?range=2026-11-01..2026-11-02&event=order',
      answers: { '/apps/app-1/explore/export': () => new Response('a,b') },
    })
    expect(await screen.findByText('12')).toBeShown()
    await user.click(screen.getByRole('button', { name: /^导出.*CSV/ }))
    await waitFor(() => expect(save).toHaveBeenCalledTimes(1))
    const [name, content] = save.mock.lastCall!
    expect(name).toBe('atrium-explore-2026-11-01_2026-11-02.csv')
    expect(await content.text()).toBe('a,b')
    expect(asked(seen, '/apps/app-1/explore/export')).toEqual(asked(seen))
  })
})
