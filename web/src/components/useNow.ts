import { useSyncExternalStore } from 'react'

const TICK_MS = 30_000

/** The present (ms), which moves on by itself while it is looked at. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, read)
}

function subscribe(tick: () => void): () => void {
  const timer = setInterval(tick, TICK_MS)
  return () => clearInterval(timer)
}

// Rounded, because between two ticks the answer must stay the same.
function read(): number {
  return Math.ceil(Date.now() / TICK_MS) * TICK_MS
}
