/** Where a floating window is: remembered by the browser, and never out of sight. */
import { readStored, store } from '../../lib/storage'

export const SIZE = { width: 300, height: 140 } as const
const KEY = 'atrium.floating'
const MARGIN = 24

export interface Place {
  left: number
  top: number
}

export interface Area {
  width: number
  height: number
}

/** As close to the requested place as fits; at least the top left corner stays visible. */
export function clamp(place: Place, size: Area, viewport: Area): Place {
  const within = (at: number, length: number, room: number) =>
    Math.round(Math.max(0, Math.min(at, room - length)))
  return {
    left: within(place.left, size.width, viewport.width),
    top: within(place.top, size.height, viewport.height),
  }
}

/** Bottom right, until it is moved. */
export function usualPlace(viewport: Area): Place {
  return {
    left: viewport.width - SIZE.width - MARGIN,
    top: viewport.height - SIZE.height - MARGIN,
  }
}

export function rememberedPlace(): Place | null {
  try {
    const kept: unknown = JSON.parse(readStored(KEY) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return null
    const { left, top } = kept as Record<string, unknown>
    return Number.isFinite(left) && Number.isFinite(top)
      ? { left: left as number, top: top as number }
      : null
  } catch {
    return null
  }
}

export function rememberPlace(place: Place): void {
  store(KEY, JSON.stringify(place))
}
