import { useQuery } from '@tanstack/react-query'
import { currentUserQuery, type User } from '../api/account'

/**
 * The signed-in person, as the guard loaded them. Undefined where nobody is, which a page behind
 * the guard sees only for the moment between the end of a session and the sign-in page.
 */
export function useUser(): User | undefined {
  // Never asks by itself: loading and what its failure means belong to the guard.
  return useQuery({ ...currentUserQuery, enabled: false }).data
}
