/** Links that people asked for and no mail brings them, for those who run the instance. */
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

/** A new one in its place; it wants a sign-in of the last minutes. */
export function copyPendingLink(id: string): Promise<components['schemas']['CopiedLink']> {
  return call(http.POST('/operator/links/{id}', { params: { path: { id } } }))
}
