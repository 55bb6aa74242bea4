/** What people change in their own account, section by section. */
import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import { act } from 'react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/queryClient'
import { UnsavedGuard } from '../../components/form/unsaved'
import * as files from '../../lib/saveFile'
import { loadUser, rememberUser } from '../../session/session'
import { spaced, user } from '../../testing/app'
import { aUser, ok, refusal, stubServer } from '../../testing/server'
import { DeletionSection } from './DeletionSection'
import { ExportSection } from './ExportSection'
import { PasswordSection } from './PasswordSection'
import { ProfileSection } from './ProfileSection'
import { SessionsSection } from './SessionsSection'

function show(section: React.ReactNode, answers: Parameters<typeof stubServer>[0] = {}) {
  rememberUser(aUser)
  const seen = stubServer(answers)
  const element = <UnsavedGuard>{section}</UnsavedGuard>
  const router = createMemoryRouter([{ path: '*', element }], {
    initialEntries: ['/account/user-info'],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  const sent = (method: string) =>
    seen
      .filter((request) => request.method === method)
      .map(({ path, body }) => [path, body && (JSON.parse(body) as unknown)])
  const here = () => router.state.location.pathname + router.state.location.hash
  return { sent, here, go: (to: string) => act(() => router.navigate(to)) }
}

const field = (name: string) => screen.getByLabelText<HTMLInputElement>(name)
const button = (name: RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
const save = () => button(spaced('保存'))
const dialog = async () => within(await screen.findByRole('dialog'))

describe('the profile', () => {
  it('is saved once it is changed, for the whole console', async () => {
    const changed = { ...aUser, name: '林大雨' }
    const { sent } = show(<ProfileSection user={aUser} />, { '/current/profile': ok(changed) })
    expect(field('邮箱').readOnly).toBe(true)
    expect(save().disabled).toBe(true)
    await user.clear(field('姓名'))
    await user.type(field('姓名'), ' 林大雨 ')
    await user.click(save())
    expect(await screen.findByText('已保存')).toBeShown()
    expect(sent('PUT')).toEqual([
      ['/current/profile', { name: '林大雨', locale: 'zh-CN', timezone: 'Asia/Shanghai' }],
    ])
    expect((await loadUser()).name).toBe('林大雨')
    expect(save().disabled).toBe(true)
  })

  it('is not left with something unsaved, but for another section or an ended session', async () => {
    const { here, go } = show(<ProfileSection user={aUser} />)
    await user.type(field('姓名'), '!')
    await go('/account/user-info#notifications')
    expect(here()).toBe('/account/user-info#notifications')
    expect(screen.queryByRole('dialog')).toBeNull()

    await go('/data-dashboard')
    await user.click((await dialog()).getByRole('button', { name: spaced('取消') }))
    expect(here()).toBe('/account/user-info#notifications')
    expect(field('姓名').value).toBe('林小雨!')
    await go('/data-dashboard')
    await user.click((await dialog()).getByRole('button', { name: '放弃并离开' }))
    await waitFor(() => expect(here()).toBe('/data-dashboard'))

    await go('/login?redirect=%2Faccount')
    expect(here()).toBe('/login')
  })
})

describe('the password', () => {
  it('is changed by whoever knows the old one', async () => {
    const errors = [{ error: '密码不正确', code: 'wrong_password', field: 'current_password' }]
    const answers = [refusal(422, { message: '', errors }), ok({})]
    const { sent } = show(<PasswordSection user={aUser} />, {
      '/current/password': () => answers.shift()!(),
    })
    await user.type(field('当前密码'), 'not my password')
    await user.type(field('新密码'), 'eleven paper boats')
    await user.click(button(/修改密码$/))
    expect(await screen.findByText('密码不正确')).toBeShown()
    expect(field('当前密码').getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(field('当前密码'))

    await user.clear(field('当前密码'))
    await user.type(field('当前密码'), 'the right one')
    await user.click(button(/修改密码$/))
    expect(await screen.findByText('密码已修改，其他设备均已退出登录。')).toBeShown()
    expect([field('当前密码').value, field('新密码').value]).toEqual(['', ''])
    expect(sent('PUT').at(-1)).toEqual([
      '/current/password',
      { current_password: 'the right one', new_password: 'eleven paper boats' },
    ])
  })
})

describe('the devices', () => {
  const session = (id: string, is_current: boolean) => ({
    id,
    created_at: '2026-01-01T00:00:00.000Z',
    last_seen_at: '2026-01-02T00:00:00.000Z',
    ip: '203.0.113.9',
    user_agent: 'Chrome on macOS',
    is_current,
  })

  function showDevices() {
    const list = [session('s1', true), session('s2', false), session('s3', false)]
    const only = (kept: (id: string) => boolean) => () => {
      list.splice(0, list.length, ...list.filter(({ id }) => kept(id)))
      return ok({})()
    }
    return show(<SessionsSection />, {
      '/current/sessions': () => ok({ items: list, total: list.length })(),
      'DELETE /current/sessions/s2': only((id) => id !== 's2'),
      'DELETE /current/sessions': only((id) => id === 's1'),
    })
  }
  const rows = async (count: number) => {
    await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(1 + count))
    return screen.getAllByRole('row').slice(1)
  }

  it('are listed in the person’s zone, without a way to sign this one out', async () => {
    showDevices()
    const [here] = await rows(3)
    expect(here!.textContent).toContain('当前设备')
    expect(within(here!).queryByRole('button')).toBeNull()
    expect(here!.querySelector('time')!.title).toContain('2026年1月1日 08:00')
  })

  it('are signed out after a question, one by one or all others', async () => {
    const { sent } = showDevices()
    const [, other] = await rows(3)
    await user.click(within(other!).getByRole('button', { name: '退出登录' }))
    await user.click((await dialog()).getByRole('button', { name: spaced('取消') }))
    expect(sent('DELETE')).toEqual([])

    await user.click(within(other!).getByRole('button', { name: '退出登录' }))
    await user.click((await dialog()).getByRole('button', { name: '退出登录' }))
    await rows(2)
    expect(sent('DELETE')).toEqual([['/current/sessions/s2', '']])

    await user.click(screen.getByRole('button', { name: '退出其他设备' }))
    await user.click((await dialog()).getByRole('button', { name: '退出其他设备' }))
    await rows(1)
    expect(screen.getByText('其他设备均已退出登录。')).toBeShown()
    expect(sent('DELETE').at(-1)).toEqual(['/current/sessions', ''])
  })
})

it('a copy of the data is a file', async () => {
  const saveFile = vi.spyOn(files, 'saveFile').mockReturnValue()
  show(<ExportSection />, { '/current/export': () => new Response('{"email":"lin"}') })
  await user.click(screen.getByRole('button', { name: /下载数据/ }))
  await waitFor(() => expect(saveFile).toHaveBeenCalledOnce())
  const [name, file] = saveFile.mock.lastCall!
  expect(name).toBe('atrium-my-data.json')
  expect(await file.text()).toBe('{"email":"lin"}')
})

it('the only owner of a team is told which, and cannot delete the account yet', async () => {
  const blocked_by = [{ id: 'o', name: '数据平台部', member_count: 3 }]
  show(<DeletionSection user={aUser} />, { '/current/deletion': ok({ blocked_by }) })
  await user.click(screen.getByRole('button', { name: '删除账号…' }))
  const shown = await dialog()
  expect(await shown.findByText('暂时不能删除账号')).toBeShown()
  expect(shown.getByRole('listitem').textContent).toBe('数据平台部 3 名成员')
  expect(shown.getByRole('link').getAttribute('href')).toBe('/organization/list')
  expect(shown.queryByRole('button', { name: '永久删除' })).toBeNull()
})
