import { useQuery } from '@tanstack/react-query'
import { matchPath, useLocation } from 'react-router'
import { appQuery, ownRoleQuery } from '../../api/app'
import { orgChoicesQuery, type Org } from '../../api/orgs'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { preferredOrg, useShownOrg } from '../../session/org'
import { useUser } from '../../session/useUser'
import type { Surroundings } from './entries'

const NONE: Org[] = []

/** Where the user is and what they may do there, from data the page has already loaded. */
export function useSurroundings(): Surroundings {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { pathname } = useLocation()
  const { data: orgs = NONE } = useQuery(orgChoicesQuery)
  const shown = useShownOrg()
  const place =
    matchPath('/org-id/:orgId/app-id/:appId/*', pathname) ??
    matchPath('/:appId/authManagement/*', pathname)
  const appId = place?.params.appId ?? ''
  const { data: app } = useQuery({ ...appQuery(appId), enabled: false })
  const { data: own } = useQuery({ ...ownRoleQuery(appId, language), enabled: false })
  const org = orgs.find(({ id }) => id === shown) ?? preferredOrg(orgs)
  const isOperator = useUser()?.operator ?? false
  const held = app && own ? { app, held: own.permissions } : null
  return { t, language, orgs, org, app: held, isOperator }
}
