/** The palette and the help: each over whatever is on screen, one at a time, fetched with the first use. */
import { useEffect } from 'react'
import { create } from 'zustand'
import { onDemand } from '../onDemand'
import { useShortcuts } from './useShortcuts'

type Overlay = 'palette' | 'help'

export const useOverlay = create<{ shown: Overlay | null }>()(() => ({ shown: null }))

export function showOverlay(shown: Overlay): void {
  useOverlay.setState({ shown })
}

export function hideOverlay(): void {
  useOverlay.setState({ shown: null })
}

/** In a full screen nothing else is seen. */
export const overlayPlace = () =>
  (document.fullscreenElement as HTMLElement | null) ?? document.body

const Palette = onDemand(() => import('../palette/Palette'), hideOverlay)
const KeyboardHelp = onDemand(() => import('./KeyboardHelp'), hideOverlay)

/** Once, in the frame of the console. */
export function OverlayHost() {
  const shown = useOverlay((state) => state.shown)
  // Whoever is signed out over an open palette does not find it open when they are back.
  useEffect(() => hideOverlay, [])
  useShortcuts({
    'Mod+k': () => showOverlay('palette'),
    '?': () => showOverlay('help'),
  })
  return (
    <>
      <Palette needed={shown === 'palette'} />
      <KeyboardHelp needed={shown === 'help'} />
    </>
  )
}
