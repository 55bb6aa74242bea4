/** The pages of a team and of an app, for menus and for finding a page by name. */
import type { MessageKey } from './i18n/store'
import type { AppPermission, OrgPermission } from './session/access'
import { paths } from './paths'

interface TeamPage {
  title: MessageKey
  to: (query: { org: string | null }) => string
  /** Hidden without this permission; the server would refuse the page too. */
  needs?: OrgPermission
}

export const TEAM_PAGES: TeamPage[] = [
  { title: 'title.teamMembers', to: paths.teamMembers },
  { title: 'title.teamApps', to: paths.teamApps },
  { title: 'title.archivedApps', to: paths.archivedApps },
  { title: 'title.deletedApps', to: paths.deletedApps },
  { title: 'title.teamSetting', to: paths.teamSetting, needs: 'org:update' },
  { title: 'title.teamSso', to: paths.teamSso, needs: 'org_sso:manage' },
  { title: 'title.teamAudit', to: paths.teamAudit, needs: 'org_audit:view' },
]

interface SettingsPage {
  title: MessageKey
  needs: AppPermission
  to: (appId: string) => string
}

export const SETTINGS_PAGES: SettingsPage[] = [
  { title: 'title.appDetail', needs: 'app:view', to: paths.appDetail },
  { title: 'title.appMember', needs: 'member:view', to: paths.appMembers },
  { title: 'title.appAuthority', needs: 'role:view', to: paths.appAuthority },
  { title: 'title.appSecretKey', needs: 'key:view', to: paths.appSecretKeys },
  { title: 'title.appAudit', needs: 'audit:view', to: paths.appAudit },
]

interface WorkspacePage {
  title: MessageKey
  /** The path below the entry; includes everything below it. */
  path: string
  needs: AppPermission
  to: (app: { org_id: string; id: string }) => string
}

const { workspace } = paths
export const WORKSPACE_PAGES: WorkspacePage[] = [
  { title: 'title.overview', path: '', needs: 'dashboard:view', to: workspace.overview },
  { title: 'title.events', path: '/events', needs: 'event:view', to: workspace.events },
  { title: 'title.analyses', path: '/analyses', needs: 'query:run', to: workspace.analyses },
  { title: 'title.cohorts', path: '/cohorts', needs: 'query:run', to: workspace.cohorts },
  { title: 'title.live', path: '/live', needs: 'live:view', to: workspace.live },
  { title: 'title.people', path: '/users', needs: 'profile:view', to: workspace.people },
  { title: 'title.quickStart', path: '/quick-start', needs: 'app:view', to: workspace.quickStart },
]
