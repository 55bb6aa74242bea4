/** Wraps every route: title, trailing slash, navigation progress, focus, and scrolling. */
import {
  Navigate,
  Outlet,
  ScrollRestoration,
  useLocation,
  useMatches,
  useNavigation,
} from 'react-router'
import { useDocumentTitle } from '../components/documentTitle'
import { NavigationProgress } from '../components/NavigationProgress'
import { useT } from '../i18n/useT'
import { canonicalPath } from '../lib/url'
import type { RouteHandle } from './entry'

export function RootFrame() {
  const t = useT()
  const location = useLocation()
  const busy = useNavigation().state !== 'idle'
  const title = useMatches()
    .map((match) => (match.handle as RouteHandle | undefined)?.title)
    .findLast((key) => key !== undefined)
  useDocumentTitle(title && t(title))

  const canonical = canonicalPath(location.pathname)
  if (canonical !== location.pathname) {
    return <Navigate replace to={{ ...location, pathname: canonical }} />
  }
  return (
    <>
      <NavigationProgress busy={busy} />
      <Outlet />
      <ScrollRestoration />
    </>
  )
}
