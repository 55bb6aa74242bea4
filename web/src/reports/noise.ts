/** Not ours to mend: noise of browsers. */
export const NOISE = [/ResizeObserver loop/, /^AbortError/]
