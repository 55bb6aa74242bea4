import { matchRoutes, type RouteObject } from 'react-router'

/** The pattern of the route at a path: "/pwdReset/:token", because a path can hold a token. */
export function patternOf(routes: RouteObject[], pathname: string): string {
  const matches = matchRoutes(routes, pathname) ?? []
  const parts = matches.flatMap(({ route }) => route.path ?? [])
  return `/${parts.join('/')}`
}
