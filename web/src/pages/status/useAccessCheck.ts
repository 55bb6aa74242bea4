import { useCallback, useState } from 'react'
import { ApiError, isUnauthorized } from '../../api/errors'
import { follow } from '../../session/appEntry'
import { leaveForSignIn } from '../../session/guard'
import { destinationFor, reloadUser } from '../../session/session'

export const WATCH_MS = 10_000

/**
 * Asks the server again, and continues to the original destination once access has been granted.
 */
export function useAccessCheck(search: string) {
  const [checking, setChecking] = useState(false)
  const [outcome, setOutcome] = useState<'still' | ApiError | null>(null)

  const look = useCallback(async () => {
    const user = await reloadUser()
    if (user.allow_visited_app) follow(destinationFor(user, search), { replace: true })
    return user.allow_visited_app
  }, [search])

  const check = useCallback(async () => {
    setChecking(true)
    setOutcome(null)
    try {
      if (!(await look())) setOutcome('still')
    } catch (error) {
      if (isUnauthorized(error)) leaveForSignIn(error)
      else if (error instanceof ApiError) setOutcome(error)
      else throw error
    } finally {
      setChecking(false)
    }
  }, [look])

  /**
   * Polls while the tab is visible, and at once when it becomes visible. Returns a function that
   * stops it.
   */
  const watch = useCallback(() => {
    const lookQuietly = () => {
      if (document.visibilityState !== 'visible') return
      // Not requested by the user: a lost answer is no news, and the next try is ten seconds away.
      look().catch((error: unknown) => {
        if (isUnauthorized(error)) leaveForSignIn(error)
      })
    }
    const timer = setInterval(lookQuietly, WATCH_MS)
    document.addEventListener('visibilitychange', lookQuietly)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', lookQuietly)
    }
  }, [look])

  return { check, watch, checking, outcome }
}
