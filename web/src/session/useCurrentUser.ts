import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { currentUserQuery, type User } from '../api/account'

/**
 * The signed-in user, for anything that outlives pages and layouts. Undefined as soon as they sign
 * out; `useUser` doesn't rerender then.
 */
export function useCurrentUser(): User | undefined {
  const client = useQueryClient()
  const subscribe = useCallback(
    (changed: () => void) => client.getQueryCache().subscribe(changed),
    [client],
  )
  return useSyncExternalStore(subscribe, () => client.getQueryData(currentUserQuery.queryKey))
}
