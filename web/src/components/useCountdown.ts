import { useCallback, useSyncExternalStore } from 'react'

/** Seconds until a time; 0 if there is none or it has passed. */
export function useCountdown(until: number | null): number {
  const subscribe = useCallback(
    (tick: () => void) => {
      if (until === null) return () => {}
      const timer = setInterval(() => {
        tick()
        if (secondsUntil(until) === 0) clearInterval(timer)
      }, 250)
      return () => clearInterval(timer)
    },
    [until],
  )
  return useSyncExternalStore(subscribe, () => secondsUntil(until))
}

// Computed from the time, because background tabs tick late.
function secondsUntil(until: number | null): number {
  return until === null ? 0 : Math.max(0, Math.ceil((until - Date.now()) / 1000))
}
