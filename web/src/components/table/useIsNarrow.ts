import { useSyncExternalStore } from 'react'

/** Whether tables become card lists for lack of room. Never on paper. */
const narrow = window.matchMedia('screen and (max-width: 719px)')

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches)
}

function subscribe(changed: () => void): () => void {
  narrow.addEventListener('change', changed)
  return () => narrow.removeEventListener('change', changed)
}
