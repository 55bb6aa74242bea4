import { useSyncExternalStore } from 'react'

/** Where a table has no room for its columns and becomes a list of cards. Paper has none to turn over. */
const narrow = window.matchMedia('screen and (max-width: 719px)')

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(changed: () => void): () => void {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}
