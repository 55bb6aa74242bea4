/** The frame of one app's workspace: which app, the way to others, and the pages the person may open. */
import { Navigate, Outlet, useLocation, useParams } from 'react-router'
import type { MessageKey } from '../i18n/store'
import { useT } from '../i18n/useT'
import type { AppPermission } from '../pages/application/gating'
import { paths } from '../paths'
import { AppBanner } from './AppSettingsLayoutBanner'
import { AppContext, type OpenApp } from './AppSettingsLayoutContext'
import { AppFailure, AppLoading, ForbiddenFace } from './AppSettingsLayoutFaces'
import { SideNav } from './SideNav'
import { useAppOnScreen } from './useAppOnScreen'
import { WorkspaceClosed } from './WorkspaceClosed'
import { WorkspaceHeader } from './WorkspaceHeader'
import { useLastApp } from './WorkspaceLastApp'

interface WorkspacePage {
  title: MessageKey
  /** Below the entry, and everything below that. */
  path: string
  needs: AppPermission
  to: (app: OpenApp['app']) => string
}

const { workspace } = paths
const PAGES: WorkspacePage[] = [
  { title: 'title.overview', path: '', needs: 'dashboard:view', to: workspace.overview },
  { title: 'title.events', path: '/events', needs: 'event:view', to: workspace.events },
  { title: 'title.explore', path: '/explore', needs: 'query:run', to: workspace.explore },
  { title: 'title.live', path: '/live', needs: 'live:view', to: workspace.live },
  { title: 'title.people', path: '/users', needs: 'profile:view', to: workspace.people },
  { title: 'title.quickStart', path: '/quick-start', needs: 'app:view', to: workspace.quickStart },
]

export default function WorkspaceLayout() {
  const { orgId = '', appId = '' } = useParams()
  const location = useLocation()
  const { open, failure } = useAppOnScreen(appId)
  if (failure) return <AppFailure {...failure} />
  if (!open) return <AppLoading />
  if (open.app.org_id !== orgId) {
    // An app has one place: a link that names another team leads to it all the same.
    const rest = location.pathname.slice(paths.appEntry(orgId, appId).length)
    const pathname = paths.appEntry(open.app.org_id, appId, rest)
    return <Navigate replace to={{ ...location, pathname }} />
  }
  return (
    // What was typed or chosen for one app must not be carried to another.
    <AppContext value={open} key={appId}>
      <Workspace open={open} />
    </AppContext>
  )
}

function Workspace({ open }: { open: OpenApp }) {
  const t = useT()
  const { pathname } = useLocation()
  const { app, may } = open
  useLastApp(app)
  const rest = pathname.slice(workspace.overview(app).length)
  const page = PAGES.find(({ path }) => rest === path || (path && rest.startsWith(`${path}/`)))
  return (
    <>
      <WorkspaceHeader page={page?.path ?? ''} />
      <AppBanner />
      {app.status === 'deleted' ? (
        <WorkspaceClosed />
      ) : (
        <SideNav
          title={t('title.workspace')}
          links={PAGES.filter(({ needs }) => may(needs)).map(({ title, path, to }) => ({
            label: t(title),
            to: to(app),
            exact: path === '',
          }))}
        >
          {/* The menu leaves out what a person may not open; an address does not. */}
          {page && !may(page.needs) ? <ForbiddenFace /> : <Outlet />}
        </SideNav>
      )}
    </>
  )
}
