import { QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { environmentQuery, type Environment } from '../../api/environment'
import { queryClient } from '../../api/queryClient'
import { bindNavigator, browser } from '../../lib/navigation'
import { user } from '../../testing/app'
import { anEnvironment, aUser, ok, refusal, stubServer } from '../../testing/server'
import LoginPage from './LoginPage'
// The page loads these on demand; importing them here keeps that out of the tests' timeouts.
import './ProviderFailure'
import './ProviderSignIn'

const ALL = { sso: true, wechatwork: true, feishu: true }
const NONE = { sso: false, wechatwork: false, feishu: false }
const AT_PROVIDER = 'https://id.acme.example/authorize?state=1'

const assign = vi.fn()
const navigate = vi.fn()
beforeEach(() => {
  assign.mockReset()
  vi.spyOn(browser, 'assign').mockImplementation(assign)
  navigate.mockReset()
  bindNavigator(navigate)
})

const refused = (status: number, code: string, error = code) =>
  refusal(status, { message: '', errors: [{ error, code }] })
const nobody = refused(401, 'unauthorized')

interface Shown {
  at?: string
  providers?: Partial<Environment['providers']>
  answers?: Parameters<typeof stubServer>[0]
  /** The environment is only known once the server answers. */
  early?: boolean
}

function show({ at = '/login', providers = ALL, answers = {}, early = false }: Shown = {}) {
  const environment = { ...anEnvironment, providers: { ...NONE, ...providers } } as Environment
  if (!early) queryClient.setQueryData(environmentQuery.queryKey, environment)
  const seen = stubServer({
    '/envs': ok(environment),
    '/regions': ok([]),
    '/current': nobody,
    ...answers,
  })
  const router = createMemoryRouter([{ path: '/login', Component: LoginPage }], {
    initialEntries: [at],
  })
  const { unmount } = render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  const address = () => router.state.location.pathname + router.state.location.search
  return { seen, address, unmount, to: (path: string) => seen.filter((call) => call.path === path) }
}

const providerButton = (name: string) =>
  screen.findByRole('button', { name: new RegExp(`^${name}`) })
const hasProvider = (name: string) =>
  screen.queryByRole('button', { name: new RegExp(`^${name}`) }) !== null
const workEmail = () => screen.findByLabelText<HTMLInputElement>('工作邮箱')
const goOn = () => screen.getByRole('button', { name: /^(loading )?继\s?续$/ })

async function openSso() {
  await user.click(await providerButton('企业单点登录'))
  return workEmail()
}

describe('the providers', () => {
  it.each<[Partial<typeof ALL>, string[]]>([
    [{}, []],
    [{ sso: true }, ['企业单点登录']],
    [{ wechatwork: true }, ['企业微信']],
    [{ feishu: true }, ['飞书']],
    [ALL, ['企业单点登录', '企业微信', '飞书']],
  ])('%j are %j', async (providers, names) => {
    show({ providers })
    expect(screen.getByRole('tab', { name: '密码登录' })).toBeShown()
    if (names[0]) await providerButton(names[0])
    for (const name of ['企业单点登录', '企业微信', '飞书']) {
      expect(hasProvider(name), name).toBe(names.includes(name))
    }
    expect(screen.queryByText('或使用以下方式登录') !== null).toBe(names.length > 0)
  })

  it('are not there before the server has said which there are', async () => {
    show({ early: true, answers: { '/envs': refused(500, 'internal') } })
    await user.click(screen.getByRole('tab', { name: '验证码登录' }))
    expect(hasProvider('企业单点登录')).toBe(false)
  })
})

describe('single sign-on', () => {
  it('takes the address typed elsewhere, carries the way back, and leaves in this window, once', async () => {
    let answer!: (response: Response) => void
    const { to } = show({
      at: '/login?redirect=%2Fdata-dashboard%3Forg%3D1',
      answers: { '/sso/login': () => new Promise<Response>((resolve) => (answer = resolve)) },
    })
    await user.type(screen.getByLabelText('邮箱'), 'anna@acme.example')
    const field = await openSso()
    expect(field.value).toBe('anna@acme.example')
    expect(document.activeElement).toBe(field)
    await user.type(field, '{Enter}')
    await user.type(field, '{Enter}')
    await user.click(goOn())
    expect(to('/sso/login').map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { email: 'anna@acme.example', redirect: '/data-dashboard?org=1' },
    ])
    answer(ok({ redirect_url: AT_PROVIDER })())
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith(AT_PROVIDER))
    // The browser takes a moment to leave.
    await user.click(goOn())
    fireEvent.submit(field.form!)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(to('/sso/login')).toHaveLength(1)
    expect(goOn().className).toContain('loading')
  })

  it('can be pressed again by whoever comes back to the page that the browser kept', async () => {
    const { to } = show({ answers: { '/sso/login': ok({ redirect_url: AT_PROVIDER }) } })
    const field = await openSso()
    await user.type(field, 'anna@acme.example{Enter}')
    await waitFor(() => expect(assign).toHaveBeenCalledOnce())
    const comeBack = new Event('pageshow') as PageTransitionEvent
    Object.defineProperty(comeBack, 'persisted', { value: true })
    fireEvent(window, comeBack)
    await user.type(field, '{Enter}')
    await waitFor(() => expect(to('/sso/login')).toHaveLength(2))
  })

  it('asks for an address before it asks the server', async () => {
    const { to } = show()
    await user.type(await openSso(), 'anna{Enter}')
    expect(await screen.findByText(/邮箱格式/)).toBeShown()
    expect(to('/sso/login')).toEqual([])
  })

  it('says at the address that no team has its domain', async () => {
    show({ answers: { '/sso/login': refused(404, 'sso_not_found') } })
    const field = await openSso()
    await user.type(field, 'anna@nowhere.example{Enter}')
    const note = await screen.findByText(/没有团队为这个邮箱的域名开启单点登录/)
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(field.getAttribute('aria-describedby')).toBe(note.id)
    expect(screen.queryByRole('alert')).toBeNull()
    expect(assign).not.toHaveBeenCalled()
  })

  it('says that the provider is down, and the other ways are there', async () => {
    show({ answers: { '/sso/login': refused(503, 'provider_unavailable') } })
    await user.type(await openSso(), 'anna@acme.example{Enter}')
    expect((await screen.findByRole('alert')).textContent).toContain('暂时没有响应')
    await user.click(await providerButton('密码或验证码'))
    expect(screen.getByLabelText<HTMLInputElement>('邮箱').value).toBe('anna@acme.example')
    expect(screen.getByLabelText('密码')).toBeShown()
  })

  it('counts down where the server wants no more tries', async () => {
    const body = { message: '', errors: [{ error: '尝试次数过多', code: 'throttled' }] }
    show({ answers: { '/sso/login': refusal(429, body, { 'retry-after': '42' }) } })
    await user.type(await openSso(), 'anna@acme.example{Enter}')
    expect(await screen.findByRole('button', { name: /请在 4\d 秒后重试/ })).toBeShown()
  })
})

describe('a chat service', () => {
  it.each([
    ['企业微信', 'wechatwork'],
    ['飞书', 'feishu'],
  ])('%s opens in this window, once, with the way back', async (name, provider) => {
    let answer!: (response: Response) => void
    const path = `/${provider}/authorize/url`
    const { to } = show({
      at: '/login?redirect=%2F403',
      answers: { [path]: () => new Promise<Response>((resolve) => (answer = resolve)) },
    })
    await user.click(await providerButton(name))
    await user.click(screen.getByRole('button', { name: new RegExp(name) }))
    await waitFor(() => expect(to(path)).toHaveLength(1))
    expect(to(path)[0]).toMatchObject({ method: 'GET', query: 'purpose=login&redirect=%2F403' })
    answer(ok({ url: 'https://chat.example/qr' })())
    await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith('https://chat.example/qr'))
    await user.click(screen.getByRole('button', { name: new RegExp(name) }))
    expect(to(path)).toHaveLength(1)
  })

  it('says what is wrong, and leaves the others open', async () => {
    show({
      answers: { '/feishu/authorize/url': refused(404, 'provider_not_configured', '未配置') },
    })
    await user.click(await providerButton('飞书'))
    expect((await screen.findByRole('alert')).textContent).toBe('未配置')
    expect((await providerButton('企业微信')).hasAttribute('disabled')).toBe(false)
  })
})

describe('the way used last', () => {
  it('is single sign-on again where there is such a provider', async () => {
    const first = show()
    await openSso()
    first.unmount()
    const second = show()
    expect(await workEmail()).toBeShown()
    await user.click(await providerButton('密码或验证码'))
    second.unmount()
    show()
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('密码登录')
  })

  it('is none that this instance does not have', async () => {
    localStorage.setItem('atrium.signInMethod', 'sso')
    show({ providers: { feishu: true } })
    await providerButton('飞书')
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('密码登录')
    expect(screen.queryByLabelText('工作邮箱')).toBeNull()
  })

  it('waits for the server, and does not take the form from whoever types', async () => {
    localStorage.setItem('atrium.signInMethod', 'sso')
    let answer!: (response: Response) => void
    const envs = () => new Promise<Response>((resolve) => (answer = resolve))
    show({ early: true, answers: { '/envs': envs } })
    await user.type(screen.getByLabelText('邮箱'), 'l')
    answer(ok({ ...anEnvironment, providers: ALL })())
    await providerButton('企业单点登录')
    expect(screen.queryByLabelText('工作邮箱')).toBeNull()
  })

  it('is marked at a chat service', async () => {
    localStorage.setItem('atrium.signInMethod', 'feishu')
    show()
    expect((await providerButton('飞书')).textContent).toBe('飞书上次使用')
    expect((await providerButton('企业微信')).textContent).toBe('企业微信')
    expect(screen.getByRole('tab', { selected: true }).textContent).toBe('密码登录')
  })
})

describe('back from a provider', () => {
  it('is said once: it leaves the address, and the way back stays', async () => {
    const { address } = show({ at: '/login?failed=cancelled&provider=sso&redirect=%2F403' })
    expect((await screen.findByRole('alert')).textContent).toContain('你取消了授权')
    await waitFor(() => expect(address()).toBe('/login?redirect=%2F403'))
    expect(screen.getByRole('alert').textContent).toContain('你取消了授权')
    await user.click(screen.getByRole('button', { name: '重新尝试' }))
    expect(await workEmail()).toBeShown()
  })

  it('is said although single sign-on was used last, with all ways to choose from', async () => {
    localStorage.setItem('atrium.signInMethod', 'sso')
    show({ at: '/login?failed=token_signature&provider=sso' })
    expect((await screen.findByRole('alert')).textContent).toContain('签名无效')
    expect(screen.getByRole('tab', { name: '密码登录' })).toBeShown()
  })

  it.each([
    ['not_bound', 'feishu'],
    ['cancelled', 'evil'],
    ['cancelled', ''],
  ])('%s at %j offers no single sign-on', async (failed, provider) => {
    show({ at: `/login?failed=${failed}&provider=${provider}` })
    await screen.findByRole('alert')
    expect(screen.queryByRole('button', { name: '重新尝试' })).toBeNull()
  })

  it('offers no provider that is closed by now', async () => {
    show({ at: '/login?failed=sso_off&provider=sso', providers: { feishu: true } })
    await screen.findByRole('alert')
    await providerButton('飞书')
    expect(screen.queryByRole('button', { name: '重新尝试' })).toBeNull()
  })

  it('shows no text of the address', async () => {
    const { address } = show({ at: '/login?failed=Call%20%2B1%20555&provider=%3Cb%3Esso' })
    expect((await screen.findByRole('alert')).textContent).toBe('操作没有完成，请重试。')
    await waitFor(() => expect(address()).toBe('/login'))
    expect(document.body.textContent).not.toContain('555')
  })

  it('is read by whoever is signed in too, who can then go on', async () => {
    show({
      at: '/login?failed=provider_unavailable&provider=sso&redirect=%2F403',
      answers: { '/current': ok(aUser) },
    })
    await screen.findByRole('alert')
    const onwards = await screen.findByRole('button', { name: '以 林小雨 的身份继续' })
    expect(navigate).not.toHaveBeenCalled()
    await user.click(onwards)
    expect(navigate).toHaveBeenCalledExactlyOnceWith('/403', { replace: true })
  })

  it('is the second step at once where one is wanted, whoever is signed in', async () => {
    const { address, to } = show({
      at: '/login?step=mfa&redirect=%2F403',
      answers: { '/current': ok(aUser), '/login/mfa': ok(aUser) },
    })
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('两步验证')
    await waitFor(() => expect(address()).toBe('/login?redirect=%2F403'))
    expect(navigate).not.toHaveBeenCalled()
    await user.type(screen.getByLabelText('验证码'), '123456')
    await waitFor(() => expect(navigate).toHaveBeenCalledWith('/403', { replace: true }))
    expect(to('/login/mfa')).toHaveLength(1)
  })

  it.each(['totp', '', 'MFA'])('is no second step for %j', (step) => {
    show({ at: `/login?step=${step}` })
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('欢迎回来')
  })

  it('is a word about linking, by one’s own means first', async () => {
    localStorage.setItem('atrium.signInMethod', 'sso')
    const { address } = show({ at: '/login?notice=sso_link&redirect=%2Faccount%2Fsso-link' })
    expect(screen.getByRole('status').textContent).toContain('请先用原来的方式登录')
    await waitFor(() => expect(address()).toBe('/login?redirect=%2Faccount%2Fsso-link'))
    expect(screen.getByRole('tab', { name: '密码登录' })).toBeShown()
    expect(screen.queryByLabelText('工作邮箱')).toBeNull()
  })

  it('leads whoever is signed in on to linking', async () => {
    show({
      at: '/login?notice=sso_link&redirect=%2Faccount%2Fsso-link',
      answers: { '/current': ok(aUser) },
    })
    await waitFor(() =>
      expect(navigate).toHaveBeenCalledWith('/account/sso-link', { replace: true }),
    )
  })

  it('says nothing for a notice of nobody’s', () => {
    show({ at: '/login?notice=%3Cb%3Ehello' })
    expect(screen.getByRole('status').textContent).toBe('')
  })
})
