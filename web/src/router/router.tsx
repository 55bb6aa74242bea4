import { createBrowserRouter } from 'react-router'
import { LoadingScreen } from '../components/LoadingScreen'
import { canonicalPath } from '../lib/url'
import { ErrorScreen } from '../pages/status/ErrorScreen'
import { routeTable } from '../routes'
import { toRoutes } from './entry'
import { RootFrame } from './RootFrame'

export function createRouter() {
  canonicaliseAddress()
  return createBrowserRouter([
    {
      Component: RootFrame,
      ErrorBoundary: ErrorScreen,
      HydrateFallback: LoadingScreen,
      children: toRoutes(routeTable),
    },
  ])
}

/** Runs before the router reads the URL, so that guard and redirects see its canonical form. */
function canonicaliseAddress(): void {
  const url = new URL(window.location.href)
  const canonical = canonicalPath(url.pathname)
  if (canonical === url.pathname) return
  url.pathname = canonical
  window.history.replaceState(window.history.state, '', url)
}
