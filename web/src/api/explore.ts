/** Questions about an app's events: counted by what, of which kind, over which time. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, callForFile, http } from './client'
import type { components } from './schema'

export type Measure = components['schemas']['ExploreMeasure']
export const MEASURES: Measure[] = ['events', 'users', 'devices', 'per_user']

export type Operator = components['schemas']['Operator']
export const OPERATORS: Operator[] = [
  'is',
  'is_not',
  'contains',
  'not_contains',
  'gt',
  'gte',
  'lt',
  'lte',
  'set',
  'not_set',
]

export const MOST_FILTERS = 10

/** What every event carries beside its own properties, in the server's names. */
export const BUILT_INS = [
  '$os',
  '$browser',
  '$browser_version',
  '$device_type',
  '$language',
  '$url_path',
  '$client_version',
  '$sdk_version',
  '$source',
  '$user_id',
  '$device_id',
] as const
export type BuiltIn = (typeof BUILT_INS)[number]

/** Those that tell who it was: only for whoever may see personal data. */
export const PERSONAL_BUILT_INS: readonly string[] = ['$user_id', '$device_id']

export type ExploreFilter = Required<components['schemas']['ExploreFilter']>
/** Everything told, so that what is asked does not hang on what the server takes for granted. */
export type ExploreBody = Required<components['schemas']['ExploreBody']> & {
  filters: ExploreFilter[]
}
export type ExploreGroup = components['schemas']['ExploreGroup']
export type ExploreAnswer = components['schemas']['Exploration']
export type ValueList = components['schemas']['ValueList']

export interface ValueQuery {
  property: string
  event?: string
  search?: string
}

export function exploreQuery(appId: string, body: ExploreBody) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'explore', body],
    queryFn: ({ signal }): Promise<ExploreAnswer> => {
      const params = { path: { id: appId } }
      return call(http.POST('/apps/{id}/explore', { params, body, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

export function exportExplore(appId: string, body: ExploreBody): Promise<Blob> {
  const params = { path: { id: appId } }
  return callForFile(http.POST('/apps/{id}/explore/export', { params, body, parseAs: 'blob' }))
}

export function valuesQuery(appId: string, query: ValueQuery) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'values', query],
    queryFn: (): Promise<ValueList> =>
      call(http.GET('/apps/{id}/explore/values', { params: { path: { id: appId }, query } })),
    placeholderData: keepPreviousData,
  })
}
