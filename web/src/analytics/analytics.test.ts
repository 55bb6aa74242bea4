import * as sdk from 'atrium-analytics'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toRoutes } from '../router/entry'
import { routeTable } from '../routes'
import { forgetUser, rememberUser } from '../session/session'
import { anEnvironment, aUser, ok, stubServer } from '../testing/server'
import { patternOf } from './pattern'
import { measure } from './start'

const routes = toRoutes(routeTable)

describe('the path that is reported', () => {
  it.each([
    ['/', '/'],
    ['/login', '/login'],
    ['/pwdReset/secret', '/pwdReset/:token'],
    ['/emailValidator/secret', '/emailValidator/:token'],
    ['/0198a000/authManagement/appMember', '/:appId/authManagement/appMember'],
    ['/org-id/o/app-id/a/some/more', '/org-id/:orgId/app-id/:appId/*'],
    ['/no/such/secret', '/*'],
  ])('%s is told as %s', (path, pattern) => {
    expect(patternOf(routes, path)).toBe(pattern)
  })
})

describe('measuring the console itself', () => {
  let setUserId = vi.fn()

  beforeEach(() => {
    // Reset each time: the console never stops following the session, so neither do these.
    setUserId = vi.fn()
    vi.spyOn(sdk, 'init').mockReturnValue({ setUserId } as unknown as sdk.Client)
  })

  const start = (analytics: object | null) => {
    stubServer({ '/envs': ok({ ...anEnvironment, analytics }) })
    return measure(routes)
  }

  it('does nothing where the instance does not ask for it', async () => {
    await start(null)
    expect(sdk.init).not.toHaveBeenCalled()
  })

  it('starts with the instance’s key and the route’s pattern', async () => {
    window.history.replaceState(null, '', '/pwdReset/secret')
    await start({ url: 'https://atrium.example', app_key: 'ck_self' })
    const options = vi.mocked(sdk.init).mock.lastCall![0]
    expect(options).toMatchObject({
      url: 'https://atrium.example',
      appKey: 'ck_self',
      clientVersion: expect.any(String) as string,
      userId: undefined,
    })
    expect(options.path!()).toBe('/pwdReset/:token')
  })

  it('knows who is signed in, and forgets them with the session', async () => {
    await start({ url: 'https://atrium.example', app_key: 'ck_self' })
    rememberUser(aUser)
    rememberUser({ ...aUser, name: '林' })
    forgetUser()
    expect(setUserId.mock.calls).toEqual([[aUser.id], [null]])
  })

  it('starts with the person where they are known already', async () => {
    rememberUser(aUser)
    await start({ url: 'https://atrium.example', app_key: 'ck_self' })
    expect(vi.mocked(sdk.init).mock.lastCall![0]).toMatchObject({ userId: aUser.id })
  })
})
