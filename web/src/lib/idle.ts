/** However busy the page is, it is not put off for longer. */
const LATEST_MS = 4_000

/** For what must not hold up the first page. */
export function afterFirstPaint(work: () => void): void {
  requestAnimationFrame(() => {
    // Not every browser tells when it is idle.
    if ('requestIdleCallback' in window) requestIdleCallback(work, { timeout: LATEST_MS })
    else setTimeout(work, LATEST_MS / 4)
  })
}
