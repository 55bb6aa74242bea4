/** The frame of an app's workspace: which app, a switcher, and the pages the user may open. */
import { useState } from 'react'
import { Navigate, Outlet, useLocation, useParams } from 'react-router'
import { useTitleOf } from '../components/documentTitle'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { AppBanner } from './AppSettingsLayoutBanner'
import { AppContext, type OpenApp } from '../session/app'
import { Refused } from '../components/Refused'
import { AppFailure, AppLoading } from './AppSettingsLayoutFaces'
import { WORKSPACE_PAGES } from '../menus'
import { SideNav } from './SideNav'
import { useAppOnScreen } from '../session/useAppOnScreen'
import { useFirstData } from '../session/useFirstData'
import { WorkspaceClosed } from './WorkspaceClosed'
import { WorkspaceHeader } from './WorkspaceHeader'
import { useLastApp } from './WorkspaceLastApp'

export default function WorkspaceLayout() {
  const { orgId = '', appId = '' } = useParams()
  const location = useLocation()
  const { open, failure } = useAppOnScreen(appId)
  useTitleOf(open && !failure ? open.app.name : null)
  if (failure) return <AppFailure {...failure} />
  if (!open) return <AppLoading />
  if (open.app.org_id !== orgId) {
    // An app belongs to one team; a link naming another redirects.
    const rest = location.pathname.slice(paths.appEntry(orgId, appId).length)
    const pathname = paths.appEntry(open.app.org_id, appId, rest)
    return <Navigate replace to={{ ...location, pathname }} />
  }
  return (
    // Input and choices for one app must not carry over to another.
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
  const isLanding = useQuickStartFirst(open)
  const rest = pathname.slice(paths.workspace.overview(app).length)
  const page = WORKSPACE_PAGES.find(
    ({ path }) => rest === path || (path && rest.startsWith(`${path}/`)),
  )
  const waits = app.has_events === false && app.status === 'active' && may('dashboard:view')
  if (isLanding) return <Navigate replace to={paths.workspace.quickStart(app)} />
  return (
    <>
      {waits && page?.title !== 'title.quickStart' && <FirstData />}
      <WorkspaceHeader page={page?.path ?? ''} />
      <AppBanner />
      {app.status === 'deleted' ? (
        <WorkspaceClosed />
      ) : (
        <SideNav
          title={t('title.workspace')}
          links={WORKSPACE_PAGES.filter(({ needs }) => may(needs)).map(({ title, path, to }) => ({
            label: t(title),
            to: to(app),
            exact: path === '',
          }))}
        >
          {/* The menu leaves out pages the user may not open, but a URL can still name one. */}
          {page && !may(page.needs) ? <Refused /> : <Outlet />}
        </SideNav>
      )}
    </>
  )
}

/**
 * Refreshes the pages once the first data arrives; the quick start polls for the first event
 * itself.
 */
function FirstData() {
  useFirstData()
  return null
}

/**
 * Opening an app that has never sent anything leads to its quick start. From there, the overview
 * can be opened like any other page.
 */
function useQuickStartFirst({ app }: OpenApp): boolean {
  const { pathname, search } = useLocation()
  const atEntry = pathname === paths.workspace.overview(app)
  const [isLanding, setLanding] = useState(
    () => atEntry && search === '' && app.status === 'active' && app.has_events === false,
  )
  if (isLanding && !atEntry) setLanding(false)
  return isLanding && atEntry
}
