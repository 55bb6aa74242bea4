/** Every address of the console is built here; no component spells one out. */
import { formatQuery } from './lib/query'

type Redirectable = { redirect?: string }

/** Below the application entry: where an app's first data is set up. */
export const QUICK_START = '/quick-start'

export type MailPurpose = 'register' | 'reset'

const segment = encodeURIComponent

/** The parts of the account page, which are anchors in its address. */
export const ACCOUNT_SECTIONS = [
  'profile',
  'email',
  'password',
  'mfa',
  'passkeys',
  'sessions',
  'notifications',
  'bindings',
  'export',
  'deletion',
] as const
export type AccountSection = (typeof ACCOUNT_SECTIONS)[number]

/** A path below one app's permission management. */
function authManagement(appId: string, page: string): string {
  return `/${segment(appId)}/authManagement/${page}`
}

/** Where an app is, as its own view names it. */
interface AppPlace {
  org_id: string
  id: string
}

/** A path below the application entry. */
function entry(
  { org_id, id }: AppPlace,
  page: string,
  query: Record<string, unknown> = {},
): string {
  return `/org-id/${segment(org_id)}/app-id/${segment(id)}${page}${formatQuery(query)}`
}

/** The organization on screen is in the address, see product decisions: two tabs, two organizations. */
type InOrganization = { org?: string | null }
type Opening = { create?: '' }

export const paths = {
  root: () => '/',
  login: (query: Redirectable = {}) => `/login${formatQuery(query)}`,
  logout: (query: Redirectable = {}) => `/login?logout${formatQuery(query).replace('?', '&')}`,
  /** A face of the sign-in page: the table of routes has no other place for it. */
  register: (query: Redirectable = {}) => `/login${formatQuery({ register: '', ...query })}`,
  emailValidator: (token: string) => `/emailValidator/${segment(token)}`,
  forgetPassword: () => '/forgetPwd',
  passwordReset: (token: string) => `/pwdReset/${segment(token)}`,
  /** The purpose decides what the page says and what sending again means. */
  emailSent: (query: { purpose?: MailPurpose } = {}) => `/emailSend${formatQuery(query)}`,
  /** `from` is the address that was refused. */
  forbidden: (query: { from?: string } = {}) => `/403${formatQuery(query)}`,
  noAuth: (query: Redirectable = {}) => `/no-auth${formatQuery(query)}`,

  /** `create` opens the dialog that makes one, here and below. */
  organizations: (query: Opening = {}) => `/organization/list${formatQuery(query)}`,
  /** `invite` opens the dialog with that address in it. */
  teamMembers: (query: InOrganization & { invite?: string; tab?: string; search?: string } = {}) =>
    `/organization/config/member${formatQuery(query)}`,
  teamApps: (query: InOrganization & Opening = {}) =>
    `/organization/config/config-app${formatQuery(query)}`,
  archivedApps: (query: InOrganization = {}) =>
    `/organization/config/archived-app${formatQuery(query)}`,
  deletedApps: (query: InOrganization = {}) =>
    `/organization/config/delete-app${formatQuery(query)}`,
  teamSetting: (query: InOrganization = {}) => `/organization/config/setting${formatQuery(query)}`,
  teamSso: (query: InOrganization = {}) => `/organization/config/sso${formatQuery(query)}`,
  teamAudit: (query: InOrganization = {}) => `/organization/config/audit${formatQuery(query)}`,

  dataDashboard: (query: InOrganization = {}) => `/data-dashboard${formatQuery(query)}`,
  /** Where an account that came in by single sign-on decides whether it is linked. */
  ssoLink: () => '/account/sso-link',
  profile: (section?: AccountSection) => `/account/user-info${section ? `#${section}` : ''}`,

  /** For those who run the instance. */
  operatorHealth: () => '/operator/health',
  operatorSessions: () => '/operator/sessions',
  operatorLinks: () => '/operator/links',
  errors: () => '/operator/errors',
  error: (groupId: string) => `/operator/errors/${segment(groupId)}`,

  appDetail: (appId: string) => authManagement(appId, 'appDetail'),
  appSecretKeys: (appId: string) => authManagement(appId, 'appSecretKey'),
  appAuthority: (appId: string) => authManagement(appId, 'appAuthority'),
  /** `role` is the one to edit, `from` one to copy; without either it is a new one. */
  editRole: (appId: string, query: { role?: string; from?: string } = {}) =>
    authManagement(appId, 'appAuthority/editRole') + formatQuery(query),
  appMembers: (appId: string, query: { role_id?: string } = {}) =>
    authManagement(appId, 'appMember') + formatQuery(query),
  appAudit: (appId: string) => authManagement(appId, 'appAudit'),

  /** The application entry, relative to a region's endpoint. */
  appEntry: (orgId: string, appId: string, extra = '') =>
    entry({ org_id: orgId, id: appId }, extra),
  workspace: {
    overview: (app: AppPlace) => entry(app, ''),
    /** `event` opens what is known about one. */
    events: (app: AppPlace, query: { event?: string } = {}) => entry(app, '/events', query),
    analyses: (app: AppPlace) => entry(app, '/analyses'),
    /** `saved` is one that was kept; the question itself is written by those who know how. */
    analysis: (app: AppPlace, kind: string, query: { saved?: string } = {}) =>
      entry(app, `/analyses/${segment(kind)}`, query),
    cohorts: (app: AppPlace) => entry(app, '/cohorts'),
    cohort: (app: AppPlace, id: string) => entry(app, `/cohorts/${segment(id)}`),
    live: (app: AppPlace) => entry(app, '/live'),
    people: (app: AppPlace, query: { tab?: string } = {}) => entry(app, '/users', query),
    person: (app: AppPlace, kind: string, ref: string) =>
      entry(app, `/users/${segment(kind)}/${segment(ref)}`),
    quickStart: (app: AppPlace) => entry(app, QUICK_START),
  },
} as const
