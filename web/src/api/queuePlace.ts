import { queryOptions } from '@tanstack/react-query'
import { everythingOf } from './app'
import { call, http, UNASKED } from './client'

const EVERY = 2_000

/** How many questions are ahead of the user's own; null if none of theirs is waiting. */
export function queuePlaceQuery(appId: string) {
  return queryOptions({
    queryKey: [...everythingOf(appId).queryKey, 'queue place'],
    queryFn: async (): Promise<number | null> => {
      const params = { path: { id: appId } }
      const { ahead } = await call(http.GET('/apps/{id}/analyses/queue', { params }), UNASKED)
      return ahead ?? null
    },
    refetchInterval: EVERY,
    staleTime: 0,
    gcTime: 0,
  })
}
