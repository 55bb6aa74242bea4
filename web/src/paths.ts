/** All console URLs are built here; components never spell one out. */
import { formatQuery } from './lib/query'

type Redirectable = { redirect?: string }

/** Below the application entry: the page for setting up an app's first data. */
export const QUICK_START = '/quick-start'

export type MailPurpose = 'register' | 'reset'

const segment = encodeURIComponent

/** The account page's sections, which are anchors in its URL. */
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

/** A path below an app's permission management. */
function authManagement(appId: string, page: string): string {
  return `/${segment(appId)}/authManagement/${page}`
}

/** An app's IDs, as its own API object names them. */
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

/**
 * The current organization is in the URL (see product decisions), so two tabs can show two
 * organizations.
 */
type InOrganization = { org?: string | null }
type Opening = { create?: '' }

export const paths = {
  root: () => '/',
  login: (query: Redirectable = {}) => `/login${formatQuery(query)}`,
  logout: (query: Redirectable = {}) => `/login?logout${formatQuery(query).replace('?', '&')}`,
  /** A variant of the sign-in page: the route table has no separate path for it. */
  register: (query: Redirectable = {}) => `/login${formatQuery({ register: '', ...query })}`,
  emailValidator: (token: string) => `/emailValidator/${segment(token)}`,
  forgetPassword: () => '/forgetPwd',
  passwordReset: (token: string) => `/pwdReset/${segment(token)}`,
  /** The purpose decides what the page says and what "resend" does. */
  emailSent: (query: { purpose?: MailPurpose } = {}) => `/emailSend${formatQuery(query)}`,
  /** `from` is the refused URL. */
  forbidden: (query: { from?: string } = {}) => `/403${formatQuery(query)}`,
  noAuth: (query: Redirectable = {}) => `/no-auth${formatQuery(query)}`,

  /** `create` opens the creation dialog, here and below. */
  organizations: (query: Opening = {}) => `/organization/list${formatQuery(query)}`,
  /** `invite` opens the dialog with that address filled in. */
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
  /** Where an account decides whether to link an address that arrived by single sign-on. */
  ssoLink: () => '/account/sso-link',
  profile: (section?: AccountSection) => `/account/user-info${section ? `#${section}` : ''}`,

  /** For operators. */
  operatorHealth: () => '/operator/health',
  operatorSessions: () => '/operator/sessions',
  operatorLinks: () => '/operator/links',
  errors: () => '/operator/errors',
  error: (groupId: string) => `/operator/errors/${segment(groupId)}`,

  appDetail: (appId: string) => authManagement(appId, 'appDetail'),
  appSecretKeys: (appId: string) => authManagement(appId, 'appSecretKey'),
  appAuthority: (appId: string) => authManagement(appId, 'appAuthority'),
  /** `role` is the one to edit, `from` one to copy; without either, a new one. */
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
    /** `event` opens its drawer. */
    events: (app: AppPlace, query: { event?: string } = {}) => entry(app, '/events', query),
    analyses: (app: AppPlace) => entry(app, '/analyses'),
    /** `saved` is a saved analysis; the question itself is added by the caller. */
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
