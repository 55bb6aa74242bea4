/** The longest delay, however busy the page is. */
const LATEST_MS = 4_000

/** For work that must not delay the first page. */
export function afterFirstPaint(work: () => void): void {
  requestAnimationFrame(() => {
    // Not all browsers support it.
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: LATEST_MS })
    else setTimeout(work, LATEST_MS / 4)
  })
}
