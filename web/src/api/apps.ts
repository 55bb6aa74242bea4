/** An organization's apps: lists and creation. For a single app, see app.ts. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { App } from './app'
import { call, http } from './client'
import type { Region } from './environment'
import type { ListParams, Page } from './orgs'
import type { components } from './schema'

export type { App }
export type AppStatus = components['schemas']['AppStatus']

/** Lists of every status: an app leaving one enters another. */
export const appsOf = (orgId: string) => ({ queryKey: ['org', orgId, 'apps'] })

export function appsQuery(orgId: string, params: ListParams & { status: AppStatus }) {
  return queryOptions({
    queryKey: [...appsOf(orgId).queryKey, params],
    queryFn: (): Promise<Page<App>> =>
      call(http.GET('/orgs/{id}/apps', { params: { path: { id: orgId }, query: params } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** Where an app can be created. */
export const appZonesQuery = queryOptions({
  queryKey: ['app-zones'],
  queryFn: (): Promise<Region[]> => call(http.GET('/app-zones')),
  staleTime: Infinity,
})

export function createApp(orgId: string, body: components['schemas']['NewAppBody']): Promise<App> {
  return call(http.POST('/orgs/{id}/apps', { params: { path: { id: orgId } }, body }))
}
