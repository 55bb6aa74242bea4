import { useSyncExternalStore } from 'react'

const TICK_MS = 30_000

/** The current time (ms), updated regularly while it is in use. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, read)
}

function subscribe(tick: () => void): () => void {
  const timer = setInterval(tick, TICK_MS)
  return () => clearInterval(timer)
}

// Rounded, because the value must stay the same between ticks.
function read(): number {
  return Math.ceil(Date.now() / TICK_MS) * TICK_MS
}
