import { createMemoryRouter, matchRoutes } from 'react-router'
import { describe, expect, it } from 'vitest'
import { toRoutes, type RouteHandle } from './router/entry'
import { routeTable } from './routes'
import { aUser, ok, startUpAnswers, stubServer } from './testing/server'

const routes = toRoutes(routeTable)

function handleAt(path: string): RouteHandle | undefined {
  return matchRoutes(routes, path)?.at(-1)?.route.handle as RouteHandle | undefined
}

describe('the table of routes', () => {
  it.each([
    ['/login', 'title.login', false],
    ['/emailValidator/t', 'title.emailValidator', false],
    ['/forgetPwd', 'title.forgetPwd', false],
    ['/pwdReset/t', 'title.pwdReset', false],
    ['/emailSend', 'title.emailSend', false],
    ['/403', 'title.forbidden', true],
    ['/no-auth', 'title.noAuth', true],
    ['/organization/list', 'title.organizationList', true],
    ['/organization/config/member', 'title.teamMembers', true],
    ['/organization/config/config-app', 'title.teamApps', true],
    ['/organization/config/archived-app', 'title.archivedApps', true],
    ['/organization/config/delete-app', 'title.deletedApps', true],
    ['/organization/config/setting', 'title.teamSetting', true],
    ['/organization/config/sso', 'title.teamSso', true],
    ['/organization/config/audit', 'title.teamAudit', true],
    ['/data-dashboard', 'title.dataDashboard', true],
    ['/account/user-info', 'title.userInfo', true],
    ['/account/sso-link', 'title.ssoLink', true],
    ['/operator/health', 'title.operatorHealth', true],
    ['/operator/errors', 'title.errors', true],
    ['/operator/errors/g', 'title.error', true],
    ['/a/authManagement/appDetail', 'title.appDetail', true],
    ['/a/authManagement/appSecretKey', 'title.appSecretKey', true],
    ['/a/authManagement/appAuthority', 'title.appAuthority', true],
    ['/a/authManagement/appAuthority/editRole', 'title.editRole', true],
    ['/a/authManagement/appMember', 'title.appMember', true],
    ['/a/authManagement/appAudit', 'title.appAudit', true],
    ['/org-id/o/app-id/a', 'title.overview', true],
    ['/org-id/o/app-id/a/events', 'title.events', true],
    ['/org-id/o/app-id/a/analyses', 'title.analyses', true],
    ['/org-id/o/app-id/a/analyses/funnel', 'title.analyses', true],
    ['/org-id/o/app-id/a/cohorts', 'title.cohorts', true],
    ['/org-id/o/app-id/a/cohorts/c', 'title.cohort', true],
    ['/org-id/o/app-id/a/live', 'title.live', true],
    ['/org-id/o/app-id/a/users', 'title.people', true],
    ['/org-id/o/app-id/a/users/device/d%2F1', 'title.person', true],
    ['/org-id/o/app-id/a/quick-start', 'title.quickStart', true],
    ['/account', 'title.notFound', false],
    ['/a/authManagement/other', 'title.notFound', false],
    ['/data-dashboard/other', 'title.notFound', false],
  ])('%s shows %s, needs a user: %s', (path, title, hasUser) => {
    expect(handleAt(path)).toMatchObject({ title, hasUser })
  })

  it('lets only the pages that explain or bring access past the gate', () => {
    expect(handleAt('/no-auth')?.skipsGate).toBe(true)
    expect(handleAt('/account/sso-link')?.skipsGate).toBe(true)
    expect(handleAt('/account/user-info')?.skipsGate).toBeFalsy()
    expect(handleAt('/403')?.skipsGate).toBeFalsy()
  })
})

describe('a redirect', () => {
  it('is relative to its parent, with the parent’s own parameters, and keeps the query', async () => {
    stubServer({ ...startUpAnswers, '/current': ok(aUser) })
    const table = toRoutes([
      {
        path: ':shop/shelves',
        children: [
          { path: '', redirect: 'first' },
          { path: 'first', page: async () => ({ default: () => null }) },
          { path: '*', redirect: 'first' },
        ],
      },
    ])
    for (const from of ['/a%2Fb/shelves?x=1', '/a%2Fb/shelves/no/such?x=1']) {
      const router = createMemoryRouter(table, { initialEntries: [from] })
      await expect
        .poll(() => router.state.location.pathname + router.state.location.search)
        .toBe('/a%2Fb/shelves/first?x=1')
      router.dispose()
    }
  })

  it.each([
    ['/organization', '/organization/list'],
    ['/organization?org=1', '/organization/list?org=1'],
    ['/organization/', '/organization/list'],
    ['/organization/config?org=1', '/organization/config/member?org=1'],
    ['/organization/anything', '/organization/list'],
    ['/organization/any/thing/else', '/organization/list'],
    ['/organization/config/unknown', '/organization/list'],
    ['/app-1/authManagement', '/app-1/authManagement/appDetail'],
  ])('leads from %s to %s', async (from, to) => {
    const url = new URL(from, location.href)
    const { route, params } = matchRoutes(routes, url.pathname)!.at(-1)!
    const loader = route.loader as (args: object) => Response
    const { headers } = loader({ params, request: new Request(url) })
    expect(headers.get('Location')).toBe(to)
  })
})
