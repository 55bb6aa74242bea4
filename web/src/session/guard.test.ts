import { beforeEach, describe, expect, it, vi } from 'vitest'
import { appQuery } from '../api/app'
import { bindFailureHandlers } from '../api/client'
import { notSignedIn } from '../api/errors'
import { queryClient } from '../api/queryClient'
import { bindNavigator } from '../lib/navigation'
import { anApp } from '../testing/app'
import { anEnvironment, aUser, ok, refusal, startUpAnswers, stubServer } from '../testing/server'
import { admit, leaveForSignIn, leaveRoot } from './guard'
import { destinationFor, loadUser, rememberUser, startUp } from './session'

const notify = vi.fn()
const navigate = vi.fn()

beforeEach(() => {
  notify.mockReset()
  navigate.mockReset()
  bindFailureHandlers({ notify, unauthorized: leaveForSignIn })
  bindNavigator(navigate)
})

const request = (path: string) => new Request(`https://atrium.example${path}`)
const needsUser = { hasUser: true }

/** Where the guard redirects to, or null if it lets the user through. */
async function sentTo(pending: Promise<unknown>): Promise<string | null> {
  try {
    await pending
    return null
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(Response)
    return (thrown as Response).headers.get('location')
  }
}

describe('start-up', () => {
  it('loads environment and regions first, then the user', async () => {
    const seen = stubServer({ ...startUpAnswers, '/current': ok(aUser) })
    expect(await admit(needsUser, request('/data-dashboard'))).toEqual(aUser)
    expect(seen.map(({ path }) => path)).toEqual(['/envs', '/regions', '/current'])
  })

  it('loads each of them once, however many ask at once', async () => {
    const seen = stubServer({ ...startUpAnswers, '/current': ok(aUser) })
    await Promise.all([
      startUp(),
      startUp(),
      loadUser(),
      loadUser(),
      admit(needsUser, request('/403')),
    ])
    expect(seen.map(({ path }) => path).sort()).toEqual(['/current', '/envs', '/regions'])
  })

  it('does not wait for the one to ask for the other', async () => {
    let answer!: (response: Response) => void
    const slow = new Promise<Response>((resolve) => (answer = resolve))
    const seen = stubServer({ ...startUpAnswers, '/envs': () => slow, '/current': ok(aUser) })
    const entering = admit(needsUser, request('/data-dashboard'))
    await vi.waitFor(() => expect(seen.map(({ path }) => path)).toContain('/current'))
    answer(ok(anEnvironment)())
    expect(await entering).toEqual(aUser)
  })

  it('asks nobody who came without a session, once', async () => {
    document.head.innerHTML = '<meta name="atrium-session" content="none" />'
    const seen = stubServer({ ...startUpAnswers, '/current': ok(aUser) })
    expect(await sentTo(admit(needsUser, request('/403')))).toBe('/login?redirect=%2F403')
    expect(seen.map(({ path }) => path)).not.toContain('/current')
    expect(notify).not.toHaveBeenCalled()
    // Another tab may have signed in meanwhile.
    expect(await admit(needsUser, request('/403'))).toEqual(aUser)
  })

  it.each(['some', '__ATRIUM_SESSION__'])('asks where the page says %s', async (said) => {
    document.head.innerHTML = `<meta name="atrium-session" content="${said}" />`
    const seen = stubServer({ ...startUpAnswers, '/current': ok(aUser) })
    expect(await admit(needsUser, request('/403'))).toEqual(aUser)
    expect(seen.map(({ path }) => path)).toContain('/current')
  })

  it('does not ask for a user where the route needs none', async () => {
    const seen = stubServer(startUpAnswers)
    expect(await admit({ hasUser: false }, request('/forgetPwd'))).toBeNull()
    expect(seen.map(({ path }) => path)).not.toContain('/current')
  })

  it('goes on without the regions', async () => {
    stubServer({ '/envs': ok(anEnvironment), '/regions': refusal(500), '/current': ok(aUser) })
    expect(await sentTo(admit(needsUser, request('/403')))).toBeNull()
    expect(notify).not.toHaveBeenCalled()
  })
})

describe('without a user', () => {
  it('leads to sign-in with the address to return to, silently', async () => {
    stubServer({ ...startUpAnswers, '/current': refusal(401) })
    const to = await sentTo(admit(needsUser, request('/organization/list?org=1&x=%E5%9B%A2')))
    expect(to).toBe(`/login?redirect=${encodeURIComponent('/organization/list?org=1&x=%E5%9B%A2')}`)
    expect(notify).not.toHaveBeenCalled()
  })

  it('keeps the fragment of the address on screen', async () => {
    window.history.replaceState(null, '', '/data-dashboard?org=1#chart')
    stubServer({ ...startUpAnswers, '/current': refusal(401) })
    const to = await sentTo(admit(needsUser, request('/data-dashboard?org=1')))
    expect(to).toBe(`/login?redirect=${encodeURIComponent('/data-dashboard?org=1#chart')}`)
  })

  it.each(['/current', '/envs'])('leads there too when %s fails, and says why', async (path) => {
    stubServer({ ...startUpAnswers, '/current': ok(aUser), [path]: refusal(500) })
    expect(await sentTo(admit(needsUser, request('/403')))).toBe('/login?redirect=%2F403')
    expect(notify).toHaveBeenCalledTimes(1)
  })
})

describe('the gate', () => {
  it.each([false, undefined, null])('stops allow_visited_app = %s', async (value) => {
    stubServer({ ...startUpAnswers, '/current': ok({ ...aUser, allow_visited_app: value }) })
    expect(await sentTo(admit(needsUser, request('/data-dashboard?org=1')))).toBe(
      `/no-auth?redirect=${encodeURIComponent('/data-dashboard?org=1')}`,
    )
  })

  it('does not stop the page that explains it, nor routes without a user', async () => {
    stubServer({ ...startUpAnswers, '/current': ok({ ...aUser, allow_visited_app: false }) })
    expect(await sentTo(admit({ hasUser: true, skipsGate: true }, request('/no-auth')))).toBeNull()
    expect(await sentTo(admit({ hasUser: false }, request('/forgetPwd')))).toBeNull()
  })
})

describe('the root path', () => {
  it('leads to the application entry', async () => {
    stubServer({ ...startUpAnswers, '/current': ok(aUser) })
    expect(await sentTo(leaveRoot(request('/')))).toBe('/org-id/org-1/app-id/app-1')
  })

  it('leads to the quick start of an app that is known to have no data', async () => {
    stubServer({ ...startUpAnswers, '/current': ok(aUser) })
    queryClient.setQueryData(appQuery('app-1').queryKey, { ...anApp, has_events: false })
    expect(await sentTo(leaveRoot(request('/')))).toBe('/org-id/org-1/app-id/app-1/quick-start')
    queryClient.setQueryData(appQuery('app-1').queryKey, { ...anApp, has_events: true })
    expect(await sentTo(leaveRoot(request('/')))).toBe('/org-id/org-1/app-id/app-1')
  })

  it('waits to know whether an app has data that is being opened just now', async () => {
    let answer = (_: Response) => {}
    const app = new Promise<Response>((resolve) => (answer = resolve))
    stubServer({ ...startUpAnswers, '/current': ok(aUser), '/apps/app-1': () => app })
    void queryClient.fetchQuery(appQuery('app-1'))
    const left = vi.fn()
    const sent = sentTo(leaveRoot(request('/'))).finally(left)
    await loadUser()
    await new Promise((next) => setTimeout(next))
    expect(left).not.toHaveBeenCalled()
    answer(ok({ ...anApp, has_events: false })())
    expect(await sent).toBe('/org-id/org-1/app-id/app-1/quick-start')
  })

  it('prefers a redirect it may follow, and ignores one it may not', async () => {
    const regions = ok([{ region: 'eu', name: 'EU', endpoint: 'https://eu.example/base' }])
    stubServer({ ...startUpAnswers, '/regions': regions, '/current': ok(aUser) })
    expect(await sentTo(leaveRoot(request('/?redirect=/403')))).toBe('/403')
    expect(await sentTo(leaveRoot(request('/?redirect=https://eu.example/base/x')))).toBe(
      'https://eu.example/base/x',
    )
    expect(await sentTo(leaveRoot(request('/?redirect=//evil.example')))).toBe(
      '/org-id/org-1/app-id/app-1',
    )
  })

  it('leads to the team’s apps where there is no app', async () => {
    expect(destinationFor({ ...aUser, last_app: null }, '')).toEqual({
      kind: 'internal',
      to: '/organization/config/config-app',
    })
  })
})

describe('a session that ends', () => {
  it('forgets the person and leads to sign-in with the address on screen', async () => {
    const seen = stubServer({ ...startUpAnswers, '/current': refusal(401) })
    rememberUser(aUser)
    window.history.replaceState(null, '', '/data-dashboard?org=1#x')
    leaveForSignIn(notSignedIn())
    expect(navigate).toHaveBeenCalledExactlyOnceWith(
      `/login?redirect=${encodeURIComponent('/data-dashboard?org=1#x')}`,
      undefined,
    )
    await expect(loadUser()).rejects.toMatchObject({ status: 401 })
    expect(notify).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 401 }))
    expect(seen.map(({ path }) => path)).toEqual(['/current'])
  })

  it('stays where it is on the sign-in page', () => {
    window.history.replaceState(null, '', '/login?redirect=%2F403')
    leaveForSignIn(notSignedIn())
    expect(navigate).not.toHaveBeenCalled()
  })
})
