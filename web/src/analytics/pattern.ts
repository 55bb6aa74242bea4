import { matchRoutes, type RouteObject } from 'react-router'

/** The route pattern for a path, such as "/pwdReset/:token": a path can contain a token. */
export function patternOf(routes: RouteObject[], pathname: string): string {
  const matches = matchRoutes(routes, pathname) ?? []
  const parts = matches.flatMap(({ route }) => route.path ?? [])
  return `/${parts.join('/')}`
}
