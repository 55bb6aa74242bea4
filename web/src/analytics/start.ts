/**
 * The console measures its own use, where the instance says so. Nothing of it is loaded before the
 * first page is on screen, and nothing at all where it is off.
 */
import type { RouteObject } from 'react-router'
import { environmentQuery } from '../api/environment'
import { queryClient } from '../api/queryClient'

/** However busy the page is, it is not put off for longer. */
const LATEST_MS = 4_000

export function startAnalytics(routes: RouteObject[]): void {
  afterFirstPaint(() => {
    // Whatever goes wrong with it is no business of the person's.
    measure(routes).catch(() => {})
  })
}

export async function measure(routes: RouteObject[]): Promise<void> {
  // On its way since start-up, so this only waits for it.
  const { analytics } = await queryClient.ensureQueryData(environmentQuery)
  if (!analytics) return
  const { report } = await import('./report')
  report(analytics, routes)
}

function afterFirstPaint(work: () => void): void {
  requestAnimationFrame(() => {
    // Not every browser tells when it is idle.
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: LATEST_MS })
    else setTimeout(work, LATEST_MS / 4)
  })
}
