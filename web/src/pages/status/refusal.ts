/** What a refused URL is, and what it would take to open it. */
import type { MessageKey } from '../../i18n/store'
import { SETTINGS_PAGES, TEAM_PAGES, WORKSPACE_PAGES } from '../../menus'
import { parseQuery, queryText } from '../../lib/query'
import { parseUrl } from '../../lib/url'
import { safeDestination } from '../../session/destination'

export interface Refusal {
  /** The URL to try again. */
  from: string
  page: MessageKey | null
  needs: string | null
  appId: string | null
  orgId: string | null
  /** Only for operators. */
  isOperators: boolean
}

/** Permissions that owners have but admins don't. */
const OWNERS_ONLY = ['org_sso:manage', 'org_security:manage', 'org:delete', 'org:transfer']

export const isOwnersOnly = (needs: string | null) => needs !== null && OWNERS_ONLY.includes(needs)

/** Null if the URL isn't one of ours or leads back here. */
export function readRefusal(raw: string | null, origin: string): Refusal | null {
  const place = safeDestination(raw, { origin, endpoints: [] })
  const url = place?.kind === 'internal' ? parseUrl(place.to, origin) : null
  if (!url || /^\/403\/*$/.test(url.pathname)) return null
  const from = url.pathname + url.search + url.hash
  return {
    from,
    page: null,
    needs: null,
    appId: null,
    orgId: queryText(parseQuery(url.search), 'org'),
    isOperators: url.pathname.startsWith('/operator/'),
    ...(inWorkspace(url.pathname) ?? inSettings(url.pathname) ?? inTeam(url.pathname)),
  }
}

type Place = Partial<Refusal> | null

function inWorkspace(pathname: string): Place {
  const [, orgId, appId, rest = ''] =
    /^\/org-id\/([^/]+)\/app-id\/([^/]+)(\/.*)?$/.exec(pathname) ?? []
  if (!orgId || !appId) return null
  const page = WORKSPACE_PAGES.find(
    ({ path }) => rest === path || (path && rest.startsWith(`${path}/`)),
  )
  return { orgId, appId, page: page?.title ?? null, needs: page?.needs ?? null }
}

function inSettings(pathname: string): Place {
  const [, appId] = /^\/([^/]+)\/authManagement(\/|$)/.exec(pathname) ?? []
  if (!appId) return null
  const page = SETTINGS_PAGES.find(({ to }) => pathname.startsWith(to(appId)))
  return { appId, page: page?.title ?? null, needs: page?.needs ?? null }
}

function inTeam(pathname: string): Place {
  if (pathname === '/data-dashboard') {
    return { page: 'title.dataDashboard', needs: 'dashboard:view' }
  }
  const page = TEAM_PAGES.find(({ to }) => to({ org: null }).split('?')[0] === pathname)
  return page ? { page: page.title, needs: page.needs ?? null } : null
}
