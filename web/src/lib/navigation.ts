/**
 * Lets code outside components move the person on. The router is bound once at start, because the
 * router's own table imports that code.
 */
interface NavigateOptions {
  replace?: boolean
  /** Kept with the entry of the browser's history, not in the address. */
  state?: unknown
}

type Navigate = (to: string, options?: NavigateOptions) => void

let navigate: Navigate = (to) => window.location.assign(to)

export function bindNavigator(bound: Navigate): void {
  navigate = bound
}

export function goTo(to: string, options?: NavigateOptions): void {
  navigate(to, options)
}

/** Leaves the console, or reloads it: a seam, since a test's browser cannot really leave. */
export const browser = {
  origin: () => window.location.origin,
  assign: (href: string) => window.location.assign(href),
  replace: (href: string) => window.location.replace(href),
  reload: () => window.location.reload(),
  open: (href: string, target: string) => window.open(href, target, 'noopener'),
}
