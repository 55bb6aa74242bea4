/** Browser noise that we can't fix. */
export const NOISE = [/ResizeObserver loop/, /^AbortError/]
