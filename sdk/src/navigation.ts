/** Detects navigation that doesn't reload the page. */

const METHODS = ['pushState', 'replaceState'] as const
type Method = (typeof METHODS)[number]

const listeners = new Set<() => void>()
const wrappers: { [M in Method]?: { ours: History[M]; original: History[M] } } = {}

/** Calls the listener after every URL change. Returns a function that removes it. */
export function onNavigation(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('popstate', listener)
  METHODS.forEach(wrap)
  return () => {
    listeners.delete(listener)
    removeEventListener('popstate', listener)
    if (!listeners.size) METHODS.forEach(unwrap)
  }
}

function wrap(method: Method): void {
  if (wrappers[method]) return
  const original = history[method]
  const ours: History[Method] = function (this: History, ...args) {
    original.apply(this, args)
    listeners.forEach((listener) => listener())
  }
  history[method] = ours
  wrappers[method] = { ours, original }
}

function unwrap(method: Method): void {
  const wrapper = wrappers[method]
  // Someone else has wrapped our wrapper; removing it would remove theirs too. Leave it as a no-op.
  if (wrapper && history[method] === wrapper.ours) {
    history[method] = wrapper.original
    delete wrappers[method]
  }
}
