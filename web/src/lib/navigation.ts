/**
 * Navigation for code outside components. The router is bound at start-up, because its route table
 * imports that code.
 */
interface NavigateOptions {
  replace?: boolean
  /** Stored in the browser history entry, not in the URL. */
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

/** Leaves or reloads the console. Tests replace it, as they have nowhere to go. */
export const browser = {
  origin: () => window.location.origin,
  assign: (href: string) => window.location.assign(href),
  replace: (href: string) => window.location.replace(href),
  reload: () => window.location.reload(),
  open: (href: string, target: string) => window.open(href, target, 'noopener'),
}
