/**
 * The console measures its own use, where the instance says so. Nothing of it is loaded before the
 * first page is on screen, and nothing at all where it is off.
 */
import type { RouteObject } from 'react-router'
import { environmentQuery } from '../api/environment'
import { queryClient } from '../api/queryClient'
import { afterFirstPaint } from '../lib/idle'

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
