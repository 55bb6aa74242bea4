import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { currentUserQuery, type User } from '../api/account'

/**
 * The signed-in person for what outlives pages and layouts: nobody as soon as they are gone, which
 * `useUser` is not told where it stays on the screen.
 */
export function useCurrentUser(): User | undefined {
  const client = useQueryClient()
  const subscribe = useCallback(
    (changed: () => void) => client.getQueryCache().subscribe(changed),
    [client],
  )
  return useSyncExternalStore(subscribe, () => client.getQueryData(currentUserQuery.queryKey))
}
