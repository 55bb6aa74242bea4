/**
 * The console's own usage analytics, if the instance enables them. They load only after the first
 * page is on screen, and never if disabled.
 */
import type { RouteObject } from 'react-router'
import { environmentQuery } from '../api/environment'
import { queryClient } from '../api/queryClient'
import { afterFirstPaint } from '../lib/idle'

export function startAnalytics(routes: RouteObject[]): void {
  afterFirstPaint(() => {
    // A failure here is none of the user's business.
    measure(routes).catch(() => {})
  })
}

export async function measure(routes: RouteObject[]): Promise<void> {
  // Already loading since start-up, so this only waits.
  const { analytics } = await queryClient.ensureQueryData(environmentQuery)
  if (!analytics) return
  const { report } = await import('./report')
  report(analytics, routes)
}
