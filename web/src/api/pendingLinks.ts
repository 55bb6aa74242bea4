/** Links that people requested but no email delivers, for operators. */
import { queryOptions } from '@tanstack/react-query'
import { call, http } from './client'
import type { components } from './schema'

export type PendingLink = components['schemas']['PendingLink']

export const pendingLinksQuery = queryOptions({
  queryKey: ['pendingLinks'],
  queryFn: async (): Promise<PendingLink[]> => (await call(http.GET('/operator/links'))).items,
  staleTime: 0,
  refetchOnWindowFocus: true,
})

/** Creates a new one in its place; requires a recent sign-in. */
export function copyPendingLink(id: string): Promise<components['schemas']['CopiedLink']> {
  return call(http.POST('/operator/links/{id}', { params: { path: { id } } }))
}
