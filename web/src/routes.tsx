/** The route table. Screens load on demand; a redirect is relative to its parent. */
import { prefetchOrgs } from './session/prefetch'
import { admitAnyone, leaveRoot } from './session/guard'
import { leaveReservedAppId } from './router/reserved'
import type { RouteEntry } from './router/entry'

export const routeTable: RouteEntry[] = [
  { path: '', loader: ({ request }) => leaveRoot(request) },

  // Outside the shell.
  {
    path: 'login',
    title: 'title.login',
    hasUser: false,
    // The page loads environment and user itself, silently, so the form isn't delayed.
    loader: () => null,
    page: () => import('./pages/login/LoginPage'),
  },
  {
    path: 'emailValidator/:token',
    title: 'title.emailValidator',
    hasUser: false,
    page: () => import('./pages/register/EmailValidatorPage'),
  },
  {
    layout: () => import('./layouts/BareLayout'),
    children: [
      {
        path: 'forgetPwd',
        title: 'title.forgetPwd',
        hasUser: false,
        page: () => import('./pages/password/ForgetPasswordPage'),
      },
      {
        path: 'pwdReset/:token',
        title: 'title.pwdReset',
        hasUser: false,
        page: () => import('./pages/password/PasswordResetPage'),
      },
      {
        path: 'emailSend',
        title: 'title.emailSend',
        hasUser: false,
        page: () => import('./pages/mail/EmailSentPage'),
      },
      {
        path: 'no-auth',
        title: 'title.noAuth',
        skipsGate: true,
        page: () => import('./pages/status/NoAuthPage'),
      },
      {
        path: 'account/sso-link',
        title: 'title.ssoLink',
        // Someone joining their first team has nothing to open yet.
        skipsGate: true,
        page: () => import('./pages/sso/SsoLinkPage'),
      },
    ],
  },

  // Inside the shell.
  {
    layout: () => import('./layouts/ShellLayout'),
    children: [
      { path: '403', title: 'title.forbidden', page: () => import('./pages/status/ForbiddenPage') },
      {
        path: 'organization',
        children: [
          { path: '', redirect: 'list' },
          {
            path: 'list',
            title: 'title.organizationList',
            page: () => import('./pages/organization/list/OrgListPage'),
            prefetch: prefetchOrgs,
          },
          {
            path: 'config',
            children: [
              { path: '', redirect: 'member' },
              {
                layout: () => import('./layouts/TeamSettingsLayout'),
                children: [
                  {
                    path: 'member',
                    title: 'title.teamMembers',
                    page: () => import('./pages/organization/member/MembersPage'),
                  },
                  {
                    path: 'config-app',
                    title: 'title.teamApps',
                    page: () => import('./pages/organization/apps/TeamAppsPage'),
                  },
                  {
                    path: 'archived-app',
                    title: 'title.archivedApps',
                    page: () => import('./pages/organization/apps/ArchivedAppsPage'),
                  },
                  {
                    path: 'delete-app',
                    title: 'title.deletedApps',
                    page: () => import('./pages/organization/apps/DeletedAppsPage'),
                  },
                  {
                    path: 'setting',
                    title: 'title.teamSetting',
                    page: () => import('./pages/organization/setting/SettingPage'),
                  },
                  {
                    path: 'sso',
                    title: 'title.teamSso',
                    page: () => import('./pages/organization/sso/SsoPage'),
                  },
                  {
                    path: 'audit',
                    title: 'title.teamAudit',
                    page: () => import('./pages/organization/audit/AuditPage'),
                  },
                ],
              },
            ],
          },
          { path: '*', redirect: 'list' },
        ],
      },
      {
        path: 'data-dashboard',
        children: [
          {
            path: '',
            title: 'title.dataDashboard',
            page: () => import('./pages/dashboard/DashboardPage'),
          },
        ],
      },
      {
        path: 'operator/health',
        title: 'title.operatorHealth',
        skipsGate: true,
        page: () => import('./pages/operator/HealthPage'),
      },
      {
        path: 'operator/sessions',
        title: 'title.operatorSessions',
        skipsGate: true,
        page: () => import('./pages/operator/SessionsPage'),
      },
      {
        path: 'operator/links',
        title: 'title.operatorLinks',
        skipsGate: true,
        page: () => import('./pages/operator/LinksPage'),
      },
      {
        path: 'operator/errors',
        title: 'title.errors',
        // Operators don't have to be in any team.
        skipsGate: true,
        page: () => import('./pages/operator/ErrorsPage'),
      },
      {
        path: 'operator/errors/:groupId',
        title: 'title.error',
        skipsGate: true,
        page: () => import('./pages/operator/ErrorPage'),
      },
      {
        path: 'account/user-info',
        title: 'title.userInfo',
        page: () => import('./pages/account/AccountPage'),
      },
      {
        path: ':appId/authManagement',
        loader: leaveReservedAppId,
        children: [
          { path: '', redirect: 'appDetail' },
          {
            layout: () => import('./layouts/AppSettingsLayout'),
            children: [
              {
                path: 'appDetail',
                title: 'title.appDetail',
                page: () => import('./pages/application/AppDetailPage'),
              },
              {
                path: 'appSecretKey',
                title: 'title.appSecretKey',
                page: () => import('./pages/application/keys/AppSecretKeyPage'),
              },
              {
                path: 'appAuthority',
                title: 'title.appAuthority',
                page: () => import('./pages/application/AppAuthorityPage'),
              },
              {
                path: 'appAuthority/editRole',
                title: 'title.editRole',
                page: () => import('./pages/application/EditRolePage'),
              },
              {
                path: 'appMember',
                title: 'title.appMember',
                page: () => import('./pages/application/AppMemberPage'),
              },
              {
                path: 'appAudit',
                title: 'title.appAudit',
                page: () => import('./pages/application/AppAuditPage'),
              },
            ],
          },
        ],
      },
      {
        // The application entry, with any path an app's link appends.
        path: 'org-id/:orgId/app-id/:appId',
        children: [
          {
            layout: () => import('./layouts/WorkspaceLayout'),
            children: [
              {
                path: '',
                title: 'title.overview',
                page: () => import('./pages/workspace/overview/OverviewPage'),
              },
              {
                path: 'events',
                title: 'title.events',
                page: () => import('./pages/workspace/events/EventsPage'),
              },
              {
                path: 'analyses',
                title: 'title.analyses',
                page: () => import('./pages/workspace/analyses/AnalysesPage'),
              },
              {
                path: 'analyses/:kind',
                title: 'title.analyses',
                page: () => import('./pages/workspace/analyses/AnalysisPage'),
              },
              {
                path: 'explore',
                loader: async (args) =>
                  (await import('./components/analyses/explorer')).leaveExplorer(args),
              },
              {
                path: 'cohorts',
                title: 'title.cohorts',
                page: () => import('./pages/workspace/cohorts/CohortsPage'),
              },
              {
                path: 'cohorts/:cohortId',
                title: 'title.cohort',
                page: () => import('./pages/workspace/cohorts/CohortPage'),
              },
              {
                path: 'live',
                title: 'title.live',
                page: () => import('./pages/workspace/live/LivePage'),
              },
              {
                path: 'users',
                title: 'title.people',
                page: () => import('./pages/workspace/people/PeoplePage'),
              },
              {
                path: 'users/:kind/:ref',
                title: 'title.person',
                page: () => import('./pages/workspace/people/PersonPage'),
              },
              {
                path: 'quick-start',
                title: 'title.quickStart',
                page: () => import('./pages/workspace/start/QuickStartPage'),
              },
            ],
          },
          { path: '*', redirect: '' },
        ],
      },
    ],
  },

  {
    path: '*',
    title: 'title.notFound',
    hasUser: false,
    loader: ({ request }) => admitAnyone(request),
    page: () => import('./pages/status/NotFoundPage'),
  },
]
