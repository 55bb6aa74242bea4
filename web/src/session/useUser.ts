import { useQuery } from '@tanstack/react-query'
import { currentUserQuery, type User } from '../api/account'

/**
 * The signed-in user, loaded by the guard. Undefined if nobody is, which pages behind the guard
 * only see briefly when a session ends.
 */
export function useUser(): User | undefined {
  // Never fetches: loading and handling failures is the guard's job.
  return useQuery({ ...currentUserQuery, enabled: false }).data
}
