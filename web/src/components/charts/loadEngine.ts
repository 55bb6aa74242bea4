/** ECharts loads after the numbers are on screen, once for all charts. */
export type Engine = typeof import('./engine')

const LONGEST_WAIT_MS = 1500

let loading: Promise<Engine> | null = null

export function loadEngine(): Promise<Engine> {
  loading ??= idle()
    .then(() => import('./engine'))
    .catch((error: unknown) => {
      // The next chart or a retry tries again.
      loading = null
      throw error
    })
  return loading
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Not in Safari.
    if (typeof window.requestIdleCallback === 'function') {
      window.requestIdleCallback(() => resolve(), { timeout: LONGEST_WAIT_MS })
    } else {
      setTimeout(resolve, 50)
    }
  })
}
