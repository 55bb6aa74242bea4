/** Checks regularly whether the server has a newer console than the running one. */
import { useEffect, useState } from 'react'
import { call, http } from '../../api/client'
import type { components } from '../../api/schema'

export const POLL_MS = 30_000

export type Build = components['schemas']['BuildInfo']

/**
 * The build that replaced `running`, if any. Asks every half minute while the tab is visible, not
 * at all while it is hidden, and once as soon as it becomes visible again. Failures are ignored:
 * the next try will follow.
 */
export function useNewBuild(running: string | null): Build | null {
  const [build, setBuild] = useState<Build | null>(null)

  useEffect(() => {
    if (running === null) return
    let timer: ReturnType<typeof setInterval> | undefined
    const leave = new AbortController()

    const ask = () => {
      const asked = call(http.GET('/build-info', { signal: leave.signal }), {
        ignoreErrors: true,
        handles401: true,
      })
      asked.then(
        (published) => {
          if (!leave.signal.aborted)
            setBuild(published.build_version === running ? null : published)
        },
        () => undefined,
      )
    }
    const follow = () => {
      clearInterval(timer)
      timer = undefined
      if (document.visibilityState === 'visible') timer = setInterval(ask, POLL_MS)
    }
    const turn = () => {
      follow()
      if (timer !== undefined) ask()
    }

    follow()
    document.addEventListener('visibilitychange', turn)
    return () => {
      document.removeEventListener('visibilitychange', turn)
      clearInterval(timer)
      leave.abort()
    }
  }, [running])

  return running === null ? null : build
}
