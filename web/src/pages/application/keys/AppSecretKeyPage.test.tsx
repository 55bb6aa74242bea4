import { screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { AccessKey, ApiKey } from '../../../api/keys'
import { showInApp, spaced, user } from '../../../testing/app'
import { ok, refusal, type SeenRequest } from '../../../testing/server'
import type { AppPermission } from '../../../session/access'
import AppSecretKeyPage from './AppSecretKeyPage'

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

const collect: ApiKey = {
  kind: 'collect',
  key: 'ck_public',
  created_at: ago(48),
  created_by: { id: 'u', name: '林小雨' },
  last_used_at: ago(1),
  last_used_ip: '203.0.113.24',
  addresses: 50,
  previous: null,
}
const query: ApiKey = { ...collect, kind: 'query', key: 'qk_AbCd…wxyz', last_used_at: null }
const previous = {
  valid_until: ago(-20),
  last_used_at: ago(0.5),
  last_used_ip: '203.0.113.9',
  addresses: 2,
}

const accessKey: AccessKey = {
  id: 'AK1',
  name: '订单服务',
  enabled: true,
  state: 'active',
  created_at: ago(48),
  created_by: null,
  expires_at: null,
  last_used_at: ago(1),
  last_used_ip: '10.0.0.1',
  addresses: 3,
}

const EVERYTHING: AppPermission[] = ['key:view', 'key:manage', 'key:reveal']
const list = (...items: object[]) => ok({ items, total: items.length })

type Shown = Partial<Parameters<typeof showInApp>[1]>

function show({ may = EVERYTHING, answers, ...rest }: Shown = {}) {
  return showInApp(<AppSecretKeyPage />, {
    may,
    answers: {
      '/apps/app-1/api-keys': list(collect, query),
      '/apps/app-1/access-keys': list(accessKey),
      ...answers,
    },
    ...rest,
  })
}

const dialog = () => screen.findByRole('dialog')
const sent = (seen: SeenRequest[], method: string) =>
  seen
    .filter((request) => request.method === method)
    .map(({ path, body }) => [path, body && JSON.parse(body)])

async function choose(action: string) {
  await user.click(await screen.findByRole('button', { name: '“订单服务”的操作' }))
  await user.click(await screen.findByRole('menuitem', { name: action }))
}

describe('the API keys', () => {
  it('show the public one in full and the secret one masked, with their use', async () => {
    show()
    const card = within(await screen.findByRole('article', { name: '上报密钥' }))
    expect(card.getByText('ck_public')).toBeShown()
    expect(card.getByRole('button', { name: '复制上报密钥' })).toBeShown()
    expect(card.getByText('来自 203.0.113.24')).toBeShown()
    expect(card.getByText('50+')).toBeShown()
    const secret = within(screen.getByRole('article', { name: '查询密钥' }))
    expect(secret.getByText('qk_AbCd…wxyz')).toBeShown()
    expect(secret.queryByRole('button')).toBeNull()
    expect(secret.getByText('从未使用')).toBeShown()
  })

  it('are reset, and the new values stay on screen until they are stored', async () => {
    const seen = show({
      answers: {
        'PUT /apps/app-1/api-keys': list(collect, { ...query, key: 'qk_in_full' }),
      },
    })
    await user.click(await screen.findByRole('button', { name: '重置密钥' }))
    const asked = within(await dialog())
    await user.click(asked.getByRole('button', { name: spaced('重置') }))
    expect(await asked.findByText('请至少选择一个密钥')).toBeShown()
    expect(asked.getByText(/^旧值在 .* 失效，在那之前新旧两个值都可用。$/)).toBeShown()

    await user.click(asked.getByRole('checkbox', { name: '查询密钥' }))
    await user.click(asked.getByRole('radio', { name: '不保留' }))
    expect(asked.getByText(/^旧值立即失效/)).toBeShown()
    await user.click(asked.getByRole('button', { name: spaced('重置') }))

    // Only the keys that were reset are new.
    expect(await screen.findByText('qk_in_full')).toBeShown()
    const values = within(await dialog())
    expect(values.queryByText('ck_public')).toBeNull()
    expect(sent(seen, 'PUT')).toEqual([
      ['/apps/app-1/api-keys', { kinds: ['query'], grace_hours: 0 }],
    ])
    const done = values.getByRole<HTMLButtonElement>('button', { name: spaced('完成') })
    expect(done.disabled).toBe(true)
    await user.click(values.getByRole('checkbox', { name: '我已妥善保存' }))
    await user.click(done)
    await waitFor(() => expect(screen.queryByText('qk_in_full')).toBeNull())
    expect(screen.getByText('密钥已重置，新值已生效。')).toBeShown()
  })

  it('say who still uses an old value, and let it go', async () => {
    const seen = show({
      answers: {
        '/apps/app-1/api-keys': list({ ...collect, previous }, query),
        '/apps/app-1/api-keys/collect/previous': ok({}),
      },
    })
    expect(await screen.findByText(/^旧值仍在使用：近 7 天有 2 个来源地址/)).toBeShown()
    await user.click(screen.getByRole('button', { name: '立即停用上报密钥的旧值' }))
    const asked = within(await dialog())
    expect(asked.getByText(/^还有网页或程序在使用旧值/)).toBeShown()
    await user.click(asked.getByRole('button', { name: '停用旧值' }))
    expect(await screen.findByText('旧值已停用。')).toBeShown()
    expect(sent(seen, 'DELETE')).toEqual([['/apps/app-1/api-keys/collect/previous', '']])
  })

  it('say of an old value that nobody uses that it is safe to drop', async () => {
    const idle = { ...previous, last_used_at: ago(80), addresses: 0 }
    show({ answers: { '/apps/app-1/api-keys': list({ ...collect, previous: idle }, query) } })
    expect(await screen.findByText('旧值已 3 天没有使用，可以放心停用。')).toBeShown()
  })

  it('that cannot be loaded leave the access keys on screen', async () => {
    show({ answers: { '/apps/app-1/api-keys': refusal(500, '', { 'x-request-id': 'req-5' }) } })
    expect((await screen.findByRole('alert')).textContent).toContain('req-5')
    expect(await screen.findByText('订单服务')).toBeShown()
  })
})

describe('the access keys', () => {
  it('are made with an end, and their secret is shown until it is stored', async () => {
    const made = { ...accessKey, id: 'AK2', name: '结算', secret: 'secret-of-it' }
    const seen = show({ answers: { 'POST /apps/app-1/access-keys': ok(made) } })
    await user.click(await screen.findByRole('button', { name: '新建访问密钥' }))
    const asked = within(await dialog())
    await user.type(asked.getByRole('textbox', { name: '名称' }), ' 结算 ')
    await user.click(asked.getByRole('radio', { name: '永不' }))
    await user.click(asked.getByRole('button', { name: spaced('创建') }))
    expect(await screen.findByText('secret-of-it')).toBeShown()
    expect(sent(seen, 'POST')).toEqual([
      ['/apps/app-1/access-keys', { name: '结算', expires_at: null }],
    ])
    const shown = within(await dialog())
    expect(shown.getByRole('button', { name: /下载 \.env/ })).toBeShown()
    await user.keyboard('{Escape}')
    expect(shown.getByText('secret-of-it')).toBeShown()
    await user.click(shown.getByRole('checkbox'))
    await user.click(shown.getByRole('button', { name: spaced('完成') }))
    expect(await screen.findByText('“结算”已创建。')).toBeShown()
    expect(screen.queryByText('secret-of-it')).toBeNull()
  })

  it('refuse a name that is taken, on its field', async () => {
    const errors = [{ error: '名称已被使用', code: 'key_name_taken', field: 'name' }]
    show({
      answers: { 'POST /apps/app-1/access-keys': refusal(409, { message: '', errors }) },
    })
    await user.click(await screen.findByRole('button', { name: '新建访问密钥' }))
    const asked = within(await dialog())
    await user.type(asked.getByRole('textbox', { name: '名称' }), '订单服务')
    await user.click(asked.getByRole('button', { name: spaced('创建') }))
    expect(await asked.findByText('名称已被使用')).toBeShown()
  })

  it('are renamed, and given another end', async () => {
    const seen = show({
      answers: {
        'PUT /apps/app-1/access-keys/AK1': () =>
          ok({ ...accessKey, ...(JSON.parse(seen.at(-1)!.body) as object) })(),
      },
    })
    await choose('重命名')
    const named = within(await dialog())
    await user.clear(named.getByRole('textbox'))
    await user.type(named.getByRole('textbox'), ' 结算 ')
    await user.click(named.getByRole('button', { name: spaced('保存') }))
    expect(await screen.findByText('已重命名为“结算”。')).toBeShown()

    await choose('更改到期时间')
    const ended = within(await dialog())
    await user.click(ended.getByRole('radio', { name: '指定日期' }))
    await user.type(ended.getByLabelText('最后一天'), '2020-01-01')
    await user.click(ended.getByRole('button', { name: spaced('保存') }))
    expect(await ended.findByText('请选择今天或以后的日期')).toBeShown()
    await user.click(ended.getByRole('radio', { name: '30 天' }))
    await user.click(ended.getByRole('button', { name: spaced('保存') }))
    expect(await screen.findByText('“订单服务”的到期时间已更改。')).toBeShown()
    const [renamed, moved] = sent(seen, 'PUT').map(([, body]) => body as { expires_at?: string })
    expect(renamed).toEqual({ name: '结算' })
    // The end of the day that is thirty days away.
    const days = (Date.parse(moved!.expires_at!) - Date.now()) / 86_400_000
    expect(Math.floor(days)).toBe(30)
  })

  it('are found by name', async () => {
    const seen = show()
    await user.type(await screen.findByRole('searchbox'), '结算')
    await waitFor(() => expect(seen.at(-1)!.query).toContain('search='))
    expect(new URLSearchParams(seen.at(-1)!.query).get('search')).toBe('结算')
  })

  it('are disabled after a look at their use, and enabled again', async () => {
    const use = {
      last_used_at: ago(1),
      last_used_ip: '10.0.0.1',
      addresses: [{ ip: '10.0.0.7', last_used_at: ago(2) }],
      messages_7d: 1_843_220,
    }
    const seen = show({
      answers: {
        '/apps/app-1/access-keys/AK1/use': ok(use),
        '/apps/app-1/access-keys/AK1': ok(accessKey),
      },
    })
    await choose('停用')
    const asked = within(await dialog())
    expect(await asked.findByText('1,843,220')).toBeShown()
    expect(asked.getByText('10.0.0.7')).toBeShown()
    await user.click(asked.getByRole('button', { name: spaced('停用') }))
    expect(await screen.findByText(/“订单服务”已停用。/)).toBeShown()
    await user.click(screen.getByRole('button', { name: spaced('撤销') }))
    expect(await screen.findByText(/“订单服务”已启用。/)).toBeShown()
    expect(sent(seen, 'PUT').map(([, body]) => body)).toEqual([
      { enabled: false },
      { enabled: true },
    ])
  })

  it('are deleted by name', async () => {
    const use = { last_used_at: null, last_used_ip: null, addresses: [], messages_7d: null }
    const seen = show({
      answers: {
        '/apps/app-1/access-keys/AK1/use': ok(use),
        '/apps/app-1/access-keys/AK1': ok({}),
      },
    })
    await choose('删除')
    const asked = within(await dialog())
    const confirm = await asked.findByRole('button', { name: spaced('删除') })
    expect((confirm as HTMLButtonElement).disabled).toBe(true)
    await user.type(asked.getByRole('textbox'), '订单服务')
    await user.click(confirm)
    expect(await screen.findByText('“订单服务”已删除。')).toBeShown()
    expect(sent(seen, 'DELETE')).toHaveLength(1)
  })

  it('show what is over and what soon will be', async () => {
    const soon = { ...accessKey, id: 'AK2', name: '乙', expires_at: ago(-24) }
    const over = { ...accessKey, id: 'AK3', name: '丙', state: 'expired', expires_at: ago(24) }
    show({ answers: { '/apps/app-1/access-keys': list(accessKey, soon, over) } })
    const row = async (name: string) => within((await screen.findByText(name)).closest('tr')!)
    expect((await row('订单服务')).getByText('可用')).toBeShown()
    expect((await row('乙')).getByText('即将到期')).toBeShown()
    expect((await row('丙')).getByText('已过期')).toBeShown()
  })

  it('say what they are for where there is none', async () => {
    show({ answers: { '/apps/app-1/access-keys': list() } })
    expect(await screen.findByRole('heading', { name: '还没有访问密钥' })).toBeShown()
    expect(screen.getByRole('button', { name: '新建访问密钥' })).toBeShown()
    expect(screen.queryByRole('searchbox')).toBeNull()
  })
})

describe('without the right to', () => {
  const buttons = () =>
    screen
      .getAllByRole('button')
      .map((button) => button.getAttribute('aria-label') ?? button.textContent)

  it('change keys, they can be looked at', async () => {
    show({
      may: ['key:view'],
      answers: { '/apps/app-1/api-keys': list({ ...collect, previous }, query) },
    })
    expect(await screen.findByText('订单服务')).toBeShown()
    expect(screen.getByText(/^你可以查看密钥/)).toBeShown()
    expect(await screen.findByText(/^旧值仍在使用/)).toBeShown()
    expect(buttons()).toEqual(['复制上报密钥', '复制“订单服务”的密钥 ID'])
  })

  it('receive values, nothing new is made', async () => {
    show({ may: ['key:view', 'key:manage'] })
    expect(await screen.findByRole('button', { name: '“订单服务”的操作' })).toBeShown()
    expect(screen.getByText(/^你没有“获取密钥内容”权限/)).toBeShown()
    expect(screen.queryByRole('button', { name: '重置密钥' })).toBeNull()
    expect(screen.queryByRole('button', { name: '新建访问密钥' })).toBeNull()
  })

  it('see them at all, the page is closed', async () => {
    const seen = show({ may: ['app:view'] })
    expect(await screen.findByText('refused: /app-1/authManagement/x')).toBeShown()
    expect(seen).toEqual([])
  })

  it('change an archived app, everything is read-only', async () => {
    show({ app: { status: 'archived' } })
    expect(await screen.findByText('订单服务')).toBeShown()
    expect(await screen.findByText('ck_public')).toBeShown()
    expect(buttons()).toEqual(['复制上报密钥', '复制“订单服务”的密钥 ID'])
  })
})
