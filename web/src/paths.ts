/** Every address of the console is built here; no component spells one out. */
import { formatQuery } from './lib/query'

type Redirectable = { redirect?: string }

const segment = encodeURIComponent

/** A path below one app's permission management. */
function authManagement(appId: string, page: string): string {
  return `/${segment(appId)}/authManagement/${page}`
}

/** The organisation on screen is in the address, see product decisions: two tabs, two organisations. */
type InOrganization = { org?: string | null }

export const paths = {
  root: () => '/',
  login: (query: Redirectable = {}) => `/login${formatQuery(query)}`,
  logout: () => '/login?logout',
  emailValidator: (token: string) => `/emailValidator/${segment(token)}`,
  forgetPassword: () => '/forgetPwd',
  passwordReset: (token: string) => `/pwdReset/${segment(token)}`,
  emailSent: () => '/emailSend',
  forbidden: () => '/403',
  noAuth: (query: Redirectable = {}) => `/no-auth${formatQuery(query)}`,

  organizations: () => '/organization/list',
  teamMembers: (query: InOrganization = {}) => `/organization/config/member${formatQuery(query)}`,
  teamApps: (query: InOrganization = {}) => `/organization/config/config-app${formatQuery(query)}`,
  archivedApps: (query: InOrganization = {}) =>
    `/organization/config/archived-app${formatQuery(query)}`,
  deletedApps: (query: InOrganization = {}) =>
    `/organization/config/delete-app${formatQuery(query)}`,

  dataDashboard: (query: InOrganization = {}) => `/data-dashboard${formatQuery(query)}`,
  profile: () => '/account/user-info',

  appDetail: (appId: string) => authManagement(appId, 'appDetail'),
  appSecretKeys: (appId: string) => authManagement(appId, 'appSecretKey'),
  appAuthority: (appId: string) => authManagement(appId, 'appAuthority'),
  editRole: (appId: string) => authManagement(appId, 'appAuthority/editRole'),
  appMembers: (appId: string) => authManagement(appId, 'appMember'),

  /** The application entry, relative to a region's endpoint. */
  appEntry: (orgId: string, appId: string, extra = '') =>
    `/org-id/${segment(orgId)}/app-id/${segment(appId)}${extra}`,
} as const
