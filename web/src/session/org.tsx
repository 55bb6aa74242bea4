/**
 * The current organization. It is in the URL (`?org=`), never in hidden state, so two tabs can show
 * two of them; the last one used only serves as the default.
 */
import { useQuery } from '@tanstack/react-query'
import { createContext, useContext, useEffect } from 'react'
import { matchPath, useLocation } from 'react-router'
import { appQuery } from '../api/app'
import { orgChoicesQuery, orgQuery, type Org } from '../api/orgs'
import { parseQuery, queryText } from '../lib/query'
import { readStored, store } from '../lib/storage'
import { useAddressQuery } from '../router/useAddressQuery'
import type { OrgPermission } from './access'

const STORAGE_KEY = 'atrium.org'

const OrgContext = createContext<Org | null>(null)
export const OrgProvider = OrgContext.Provider

/** For pages below a layout that has loaded it. */
export function useOrg(): Org {
  const org = useContext(OrgContext)
  if (!org) throw new Error('useOrg is called outside of an OrgProvider')
  return org
}

export function useOrgMay(permission: OrgPermission): boolean {
  return useOrg().permissions.includes(permission)
}

/** Loads the organization named in the URL, and adds one to the URL if missing. */
export function useOrgOnScreen() {
  const [query, setQuery] = useAddressQuery()
  const id = query.get('org') || null
  const choices = useQuery({ ...orgChoicesQuery, enabled: id === null })
  const org = useQuery({ ...orgQuery(id ?? ''), enabled: id !== null })

  const chosen = id === null && choices.data ? preferredOrg(choices.data) : null
  useEffect(() => {
    if (!chosen) return
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        next.set('org', chosen.id)
        return next
      },
      { replace: true, preventScrollReset: true },
    )
  }, [chosen, setQuery])

  useEffect(() => {
    if (org.data) rememberOrg(org.data.id)
  }, [org.data])

  return { id, org, choices, hasNone: id === null && choices.data?.length === 0 }
}

/** The current page's team: the one in the URL, or that of the current app. */
export function useShownOrg(): string | null {
  const { pathname, search } = useLocation()
  const settings = matchPath('/:appId/authManagement/*', pathname)
  // The page itself loads the app and handles failures.
  const app = useQuery({ ...appQuery(settings?.params.appId ?? ''), enabled: false })
  const named = queryText(parseQuery(search), 'org') || null
  const workspace = matchPath('/org-id/:orgId/app-id/:appId/*', pathname)
  return workspace?.params.orgId ?? (settings ? (app.data?.org_id ?? null) : named)
}

export function rememberOrg(id: string): void {
  store(STORAGE_KEY, id)
}

/** The last one used if the user is still in it, else the first. */
export function preferredOrg(orgs: Org[]): Org | null {
  const last = readStored(STORAGE_KEY)
  return orgs.find((org) => org.id === last) ?? orgs[0] ?? null
}
