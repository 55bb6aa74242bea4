/** The palette and the help: shown over any screen, one at a time, loaded on first use. */
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

/** In full screen, only descendants of its element are visible. */
export const overlayPlace = () =>
  (document.fullscreenElement as HTMLElement | null) ?? document.body

const Palette = onDemand(() => import('../palette/Palette'), hideOverlay)
const KeyboardHelp = onDemand(() => import('./KeyboardHelp'), hideOverlay)

/** Rendered once, in the console's shell. */
export function OverlayHost() {
  const shown = useOverlay((state) => state.shown)
  // Someone signed out while the palette is open must not find it open on return.
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
