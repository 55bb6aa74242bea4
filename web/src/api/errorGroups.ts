/** The console's errors in people's browsers, for operators. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, callForFile, http } from './client'
import type { ListParams, Page } from './orgs'
import type { components } from './schema'

export type ErrorGroup = components['schemas']['ErrorGroup']
export type ErrorGroupDetail = components['schemas']['ErrorGroupDetail']
export type ErrorReport = components['schemas']['ErrorReport']
export type ErrorReportDetail = components['schemas']['ErrorReportDetail']

export const allErrorGroups = { queryKey: ['errorGroups'] }

export function errorGroupsQuery(params: ListParams) {
  return queryOptions({
    queryKey: [...allErrorGroups.queryKey, 'list', params],
    queryFn: (): Promise<Page<ErrorGroup>> =>
      call(http.GET('/error-groups', { params: { query: params } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

export function errorGroupQuery(id: string) {
  return queryOptions({
    queryKey: [...allErrorGroups.queryKey, id],
    queryFn: (): Promise<ErrorGroupDetail> =>
      call(http.GET('/error-groups/{id}', { params: { path: { id } } })),
    staleTime: 0,
  })
}

export function errorReportsQuery(id: string, params: { page: number; page_size: number }) {
  return queryOptions({
    queryKey: [...allErrorGroups.queryKey, id, 'reports', params],
    queryFn: (): Promise<Page<ErrorReport>> =>
      call(http.GET('/error-groups/{id}/reports', { params: { path: { id }, query: params } })),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

export function removeErrorGroup(id: string): Promise<unknown> {
  return call(http.DELETE('/error-groups/{id}', { params: { path: { id } } }))
}

export function downloadReplay(reportId: string): Promise<Blob> {
  const params = { path: { id: reportId } }
  return callForFile(http.GET('/error-reports/{id}/replay', { params, parseAs: 'blob' }))
}
