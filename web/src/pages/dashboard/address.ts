import type { App } from '../../api/app'

/** Parses `apps=`. Once the team's apps are known, other IDs count as absent. */
export function chosenApps(listed: string | null, apps: Pick<App, 'id'>[] | undefined): string[] {
  const ids = [...new Set(listed?.split(',').filter(Boolean))]
  return apps ? ids.filter((id) => apps.some((app) => app.id === id)) : ids
}

export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format() !== ''
  } catch {
    return false
  }
}

/** Returns to the first page when the rows change. */
export function withParam(
  before: URLSearchParams,
  name: string,
  value: string | null,
): URLSearchParams {
  const query = new URLSearchParams(before)
  query.delete('page')
  if (value) query.set(name, value)
  else query.delete(name)
  return query
}
