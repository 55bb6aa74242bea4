import { useEffect, useState, useSyncExternalStore, type RefObject } from 'react'

export interface FullScreen {
  full: boolean
  toggle: () => void
}

/** Uses the Fullscreen API; if it is missing or refused, the element covers the page instead. */
export function useFullScreen(target: RefObject<HTMLElement | null>): FullScreen {
  const native = useSyncExternalStore(subscribe, () => document.fullscreenElement != null)
  const [covering, setCovering] = useState(false)

  useEffect(() => {
    if (!covering) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) setCovering(false)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [covering])

  const toggle = () => {
    if (native) return void document.exitFullscreen()
    if (covering) return setCovering(false)
    const element = target.current
    if (!element?.requestFullscreen) return setCovering(true)
    element.requestFullscreen().catch(() => setCovering(true))
  }
  return { full: native || covering, toggle }
}

function subscribe(changed: () => void): () => void {
  document.addEventListener('fullscreenchange', changed)
  return () => document.removeEventListener('fullscreenchange', changed)
}
