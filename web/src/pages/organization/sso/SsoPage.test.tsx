import { QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor, within } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { describe, expect, it } from 'vitest'
import { environmentQuery, type Environment } from '../../../api/environment'
import type { Org } from '../../../api/orgs'
import { queryClient } from '../../../api/queryClient'
import type { SsoDomain, SsoSettings } from '../../../api/sso'
import { OrgProvider } from '../../../session/org'
import { rememberUser } from '../../../session/session'
import { refusedRoute, user } from '../../../testing/app'
import { aUser, anEnvironment, ok, refusal, stubServer } from '../../../testing/server'
import SsoPage from './SsoPage'

const domain = (name: string, changed: Partial<SsoDomain> = {}): SsoDomain => ({
  domain: name,
  verified_at: null,
  verified_by: null,
  record_name: `_atrium-challenge.${name}`,
  record_value: 'atrium-verification=abc',
  ...changed,
})
const PROVEN = domain('acme.example', { verified_at: aUser.created_at, verified_by: 'dns' })
const NOTHING: SsoSettings = {
  configured: false,
  enabled: false,
  enforced: false,
  issuer: '',
  client_id: '',
  has_secret: false,
  default_role: 'member',
  redirect_uri: 'https://atrium.example/api/v1/sso/callback',
  domains: [],
  linked_members: 0,
  unlinked_members: 1_223,
  only_way_members: 0,
  updated_at: null,
}
const SSO: SsoSettings = {
  ...NOTHING,
  configured: true,
  issuer: 'https://id.acme.example',
  client_id: 'atrium',
  has_secret: true,
  domains: [PROVEN],
  linked_members: 11,
  unlinked_members: 1_210,
  only_way_members: 4,
}

const PATH = '/orgs/org-1/sso'
const refused = (status: number, code: string, field?: string) =>
  refusal(status, { message: '', errors: [{ error: `说明 ${code}`, code, field }] })

interface Shown {
  sso?: SsoSettings
  permissions?: string[]
  answers?: Parameters<typeof stubServer>[0]
}

async function show({ sso = SSO, permissions = ['org_sso:manage'], answers = {} }: Shown = {}) {
  rememberUser(aUser)
  const org = { id: 'org-1', name: 'Acme', member_count: 1_224, permissions } as Org
  const seen = stubServer({ [`GET ${PATH}`]: ok(sso), ...answers })
  const element = (
    <OrgProvider value={org}>
      <SsoPage />
    </OrgProvider>
  )
  const router = createMemoryRouter([refusedRoute, { path: '*', element }], {
    initialEntries: ['/organization/config/sso?org=org-1'],
  })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  if (permissions.includes('org_sso:manage')) await screen.findByLabelText(/Issuer/)
  const sent = (method: string, path = PATH) =>
    seen
      .filter((call) => call.method === method && call.path === path)
      .map(({ body }) => (body ? (JSON.parse(body) as unknown) : null))
  return { seen, sent, router }
}

const issuer = () => screen.getByLabelText<HTMLInputElement>(/Issuer/)
const clientId = () => screen.getByLabelText<HTMLInputElement>(/Client ID/)
const secret = () => screen.getByLabelText<HTMLInputElement>(/Client secret/)
const tick = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name })
const enable = () => tick('启用单点登录')
const enforce = () => tick('必须使用单点登录')
const save = () => screen.getByRole('button', { name: /保\s?存$/ })
const noteOf = (input: HTMLElement) =>
  document.getElementById(input.getAttribute('aria-describedby')!)?.textContent

describe('the page', () => {
  it('is closed to whoever does not own the team, and asks nothing', async () => {
    const { seen } = await show({ permissions: ['org:update'] })
    const from = '/organization/config/sso?org=org-1'
    expect(await screen.findByText(`refused: ${from}`)).toBeShown()
    expect(seen).toEqual([])
  })

  it('shows the address that the provider must be told', async () => {
    await show({ sso: NOTHING })
    expect(screen.getByText(NOTHING.redirect_uri)).toBeShown()
    expect(screen.getByRole('button', { name: '复制回调地址' })).toBeShown()
    expect(screen.getByText('未配置')).toBeShown()
    expect(screen.queryByRole('button', { name: '删除配置' })).toBeNull()
  })
})

describe('the provider', () => {
  it('is checked in the browser first', async () => {
    const { sent } = await show({ sso: NOTHING })
    await user.type(issuer(), 'id.acme.example')
    await user.tab()
    expect(await screen.findByText(/请输入完整的 https 地址/)).toBeShown()
    await user.click(save())
    expect(await screen.findByText('请输入客户端 ID')).toBeShown()
    expect(screen.getByText('请输入客户端密钥')).toBeShown()
    expect(sent('PUT')).toEqual([])
  })

  it('keeps the secret that is stored, and never shows it', async () => {
    const { sent } = await show({ answers: { [`PUT ${PATH}`]: ok({ ...SSO, client_id: 'next' }) } })
    expect(secret().value).toBe('')
    expect(secret().getAttribute('type')).toBe('password')
    expect(secret().getAttribute('autocomplete')).toBe('new-password')
    expect(secret().hasAttribute('data-secret')).toBe(true)
    expect(noteOf(secret())).toBe('已保存，留空则不修改。')
    await user.clear(clientId())
    await user.type(clientId(), ' next ')
    await user.click(save())
    expect(await screen.findByText('已保存')).toBeShown()
    expect(sent('PUT')).toEqual([
      {
        issuer: SSO.issuer,
        client_id: 'next',
        default_role: 'member',
        enabled: false,
        enforced: false,
      },
    ])
  })

  it('says that the first one is saved, too', async () => {
    const { sent } = await show({ sso: NOTHING, answers: { [`PUT ${PATH}`]: ok(SSO) } })
    await user.type(issuer(), SSO.issuer)
    await user.type(clientId(), 'atrium')
    await user.type(secret(), 's3cret')
    await user.click(screen.getByRole('radio', { name: '管理员' }))
    await user.click(save())
    expect(await screen.findByText('已保存')).toBeShown()
    expect(sent('PUT')[0]).toMatchObject({ client_secret: 's3cret', default_role: 'admin' })
    expect(screen.getByText('已配置，未启用')).toBeShown()
    expect(secret().value).toBe('')
  })

  it('wants the secret again for another issuer', async () => {
    const { sent } = await show({ answers: { [`PUT ${PATH}`]: ok(SSO) } })
    await user.type(issuer(), '/other')
    expect(noteOf(secret())).toBe('签发者变了，请重新填写密钥')
    await user.click(save())
    await waitFor(() => expect(secret().getAttribute('aria-invalid')).toBe('true'))
    expect(sent('PUT')).toEqual([])
    await user.type(secret(), 's3cret')
    await user.click(save())
    await waitFor(() => expect(sent('PUT')).toHaveLength(1))
    expect(sent('PUT')[0]).toMatchObject({ client_secret: 's3cret' })
    // Once saved, it is masked.
    await waitFor(() => expect(secret().value).toBe(''))
  })

  it('puts what the server says on its field', async () => {
    await show({ answers: { [`PUT ${PATH}`]: refused(422, 'bad_issuer', 'issuer') } })
    await user.type(issuer(), 'x')
    await user.type(secret(), 's')
    await user.click(save())
    expect(await screen.findByText('说明 bad_issuer')).toBeShown()
    expect(noteOf(issuer())).toBe('说明 bad_issuer')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('says above the form what belongs to no field', async () => {
    await show({ answers: { [`PUT ${PATH}`]: refused(409, 'sso_no_domain') } })
    await user.click(enable())
    await user.click(save())
    expect((await screen.findByRole('alert')).textContent).toBe('说明 sso_no_domain')
  })

  it('is not left with something unsaved', async () => {
    const { router } = await show()
    await user.type(clientId(), 'x')
    void router.navigate('/organization/list')
    expect(await screen.findByRole('dialog')).toBeShown()
    expect(router.state.location.pathname).toBe('/organization/config/sso')
  })
})

describe('switching it on', () => {
  it('needs a domain that is proven', async () => {
    await show({ sso: { ...SSO, domains: [domain('acme.example')] } })
    expect(enable().disabled).toBe(true)
    expect(noteOf(enable())).toContain('先验证至少一个域名')
    expect(enforce().disabled).toBe(true)
  })

  it('says whom requiring it would shut out, and asks', async () => {
    const on = { ...SSO, enabled: true, enforced: true }
    const { sent } = await show({ answers: { [`PUT ${PATH}`]: ok(on) } })
    expect(noteOf(enforce())).toContain('所有者不受限制')
    expect(noteOf(enforce())).toContain('团队共 1,224 人，除所有者外还有 1,210 人没有关联')
    expect(enforce().disabled).toBe(true)
    await user.click(enable())
    await user.click(enforce())
    await user.click(save())
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/还有 1,210 人没有关联/)).toBeShown()
    expect(sent('PUT')).toEqual([])
    await user.click(dialog.getByRole('button', { name: '要求并保存' }))
    await waitFor(() => expect(sent('PUT')).toHaveLength(1))
    expect(sent('PUT')[0]).toMatchObject({ enabled: true, enforced: true })
    expect(await screen.findByText('已启用，必须使用')).toBeShown()
  })

  it('off takes the requirement with it', async () => {
    const on = { ...SSO, enabled: true, enforced: true }
    const { sent } = await show({ sso: on, answers: { [`PUT ${PATH}`]: ok(SSO) } })
    await user.click(enable())
    expect(enforce().checked).toBe(false)
    expect(enforce().disabled).toBe(true)
    await user.click(save())
    await waitFor(() => expect(sent('PUT')).toHaveLength(1))
    expect(sent('PUT')[0]).toMatchObject({ enabled: false, enforced: false })
  })
})

describe('the test', () => {
  const TEST = `${PATH}/test`
  const run = () => screen.getByRole('button', { name: /测试连接/ })

  it('shows every step, what failed, and what to do about it', async () => {
    const steps = [
      { step: 'address', state: 'ok', code: null, detail: null },
      { step: 'discovery', state: 'failed', code: 'http_status', detail: '404' },
      { step: 'issuer', state: 'skipped', code: null, detail: null },
      { step: 'keys', state: 'failed', code: 'of_tomorrow', detail: null },
    ]
    const { sent } = await show({ answers: { [TEST]: ok({ ok: false, steps }) } })
    await user.click(run())
    const list = within(await screen.findByRole('list', { name: '测试步骤' }))
    expect(list.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      '连接提供方 通过',
      expect.stringMatching(/^读取配置文档 未通过对方返回了错误状态。404检查签发者地址/),
      '核对签发者 已跳过',
      expect.stringMatching(/^读取签名公钥 未通过返回的内容与预期不符。/),
    ])
    expect(screen.getByText('没有通过，请看下面的步骤。')).toBeShown()
    // The server uses the stored secret.
    expect(sent('POST', TEST)).toEqual([{ issuer: SSO.issuer, client_id: 'atrium' }])
  })

  it('takes what is typed and not saved yet', async () => {
    const { sent } = await show({ answers: { [TEST]: ok({ ok: true, steps: [] }) } })
    await user.type(issuer(), '/two')
    await user.click(run())
    // Not without its secret.
    await waitFor(() => expect(secret().getAttribute('aria-invalid')).toBe('true'))
    expect(sent('POST', TEST)).toEqual([])
    await user.type(secret(), 's3cret')
    await user.click(run())
    expect(await screen.findByText('全部通过，可以启用。')).toBeShown()
    expect(sent('POST', TEST)).toEqual([
      { issuer: `${SSO.issuer}/two`, client_id: 'atrium', client_secret: 's3cret' },
    ])
  })

  it('says that it could not be made', async () => {
    await show({ answers: { [TEST]: refused(429, 'throttled') } })
    await user.click(run())
    expect((await screen.findByRole('alert')).textContent).toBe('说明 throttled')
  })
})

describe('a domain', () => {
  const DOMAINS = `${PATH}/domains`
  const waiting = domain('new.example')
  const VERIFY = `${DOMAINS}/new.example/verify`
  const field = () => screen.getByLabelText<HTMLInputElement>('添加域名')
  const item = (name: string) => within(screen.getByText(name).closest('li')!)

  it('is added with the record that proves it', async () => {
    const { sent } = await show({ answers: { [DOMAINS]: ok(waiting) } })
    await user.type(field(), ' NEW.example {Enter}')
    expect(await screen.findByText('new.example')).toBeShown()
    expect(sent('POST', DOMAINS)).toEqual([{ domain: 'new.example' }])
    const added = item('new.example')
    expect(added.getByText('待验证')).toBeShown()
    expect(added.getByText('_atrium-challenge.new.example')).toBeShown()
    expect(added.getByText('atrium-verification=abc')).toBeShown()
    expect(added.getByRole('button', { name: '复制 new.example 的主机记录' })).toBeShown()
    expect(added.getByRole('button', { name: '复制 new.example 的记录值' })).toBeShown()
    expect(field().value).toBe('')
  })

  it.each([
    ['bad_domain', 422, '请输入域名'],
    ['public_domain', 422, '公共邮箱'],
    ['domain_taken', 409, '其他团队'],
  ])('%s is said at the field', async (code, status, text) => {
    await show({ answers: { [DOMAINS]: refused(status, code) } })
    await user.type(field(), 'new.example{Enter}')
    await waitFor(() => expect(noteOf(field())).toContain(text))
    expect(field().getAttribute('aria-invalid')).toBe('true')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('that is none is not sent', async () => {
    const { sent } = await show()
    await user.type(field(), 'anna@acme.example{Enter}')
    expect(await screen.findByText('请输入域名，例如 example.com')).toBeShown()
    expect(sent('POST', DOMAINS)).toEqual([])
  })

  it('too many is said above', async () => {
    await show({ answers: { [DOMAINS]: refused(409, 'too_many_domains') } })
    await user.type(field(), 'new.example{Enter}')
    expect((await screen.findByRole('alert')).textContent).toBe('说明 too_many_domains')
  })

  it.each([
    ['record_missing', 409, '还没有查到这条记录'],
    ['record_wrong', 409, '记录值不对'],
    ['dns_unavailable', 503, '暂时查询不到 DNS'],
  ])('%s says what to do', async (code, status, text) => {
    await show({
      sso: { ...SSO, domains: [waiting] },
      answers: { [VERIFY]: refused(status, code) },
    })
    await user.click(screen.getByRole('button', { name: '立即检查 new.example' }))
    expect((await screen.findByRole('alert')).textContent).toContain(text)
    expect(screen.getByText('待验证')).toBeShown()
  })

  it('is proven, and what is typed about the provider stays', async () => {
    const proven = { ...waiting, verified_at: aUser.created_at, verified_by: 'dns' }
    await show({ sso: { ...SSO, domains: [waiting] }, answers: { [VERIFY]: ok(proven) } })
    await user.type(clientId(), '-typed')
    await user.click(screen.getByRole('button', { name: '立即检查 new.example' }))
    expect(await screen.findByText('已验证')).toBeShown()
    expect(screen.queryByText('atrium-verification=abc')).toBeNull()
    expect(screen.queryByRole('button', { name: '立即检查 new.example' })).toBeNull()
    expect(clientId().value).toBe('atrium-typed')
    expect(enable().disabled).toBe(false)
  })

  it('by an operator’s word says so', async () => {
    await show({ sso: { ...SSO, domains: [{ ...PROVEN, verified_by: 'operator' }] } })
    expect(screen.getByText(/由服务器管理员确认于/)).toBeShown()
  })

  it('is removed after a question', async () => {
    const { seen } = await show({ answers: { [`DELETE ${DOMAINS}/acme.example`]: ok({}) } })
    await user.click(screen.getByRole('button', { name: '移除 acme.example' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByText(/将不能再通过单点登录进来/)).toBeShown()
    await user.click(dialog.getByRole('button', { name: /移\s?除/ }))
    await waitFor(() => expect(screen.queryByText('acme.example')).toBeNull())
    expect(seen.at(-1)).toMatchObject({ method: 'DELETE', path: `${DOMAINS}/acme.example` })
    expect(screen.getByText('还没有域名。')).toBeShown()
  })
})

it('is deleted only with the team’s name typed, and says whom it hits', async () => {
  let gone = false
  const { seen } = await show({
    answers: {
      [`GET ${PATH}`]: () => ok(gone ? { ...NOTHING, domains: [PROVEN] } : SSO)(),
      [`DELETE ${PATH}`]: () => {
        gone = true
        return ok({})()
      },
    },
  })
  await user.click(screen.getByRole('button', { name: '删除配置' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('11')).toBeShown()
  expect(dialog.getByText('4')).toBeShown()
  expect(dialog.getByText(/可以通过邮件设置密码/)).toBeShown()
  const go = dialog.getByRole('button', { name: '删除配置' })
  expect(go.hasAttribute('disabled')).toBe(true)
  await user.type(dialog.getByRole('textbox'), 'Acme')
  await user.click(go)
  await waitFor(() => expect(issuer().value).toBe(''))
  expect(seen.some(({ method }) => method === 'DELETE')).toBe(true)
  expect(screen.getByText('未配置')).toBeShown()
})

it('names the operator where no mail leaves', async () => {
  queryClient.setQueryData(environmentQuery.queryKey, {
    ...(anEnvironment as Environment),
    mail_configured: false,
  })
  await show()
  await user.click(screen.getByRole('button', { name: '删除配置' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText(/向服务器管理员索取登录链接/)).toBeShown()
})
