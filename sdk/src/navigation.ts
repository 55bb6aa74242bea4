/** Tells when a page changes its address without loading anew. */

const METHODS = ['pushState', 'replaceState'] as const
type Method = (typeof METHODS)[number]

const listeners = new Set<() => void>()
const wrappers: { [M in Method]?: { ours: History[M]; original: History[M] } } = {}

/** Calls the listener after every change; the function it returns takes it off again. */
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
  // Someone else wrapped ours: taking it out would take theirs out. It stays, and does nothing.
  if (wrapper && history[method] === wrapper.ours) {
    history[method] = wrapper.original
    delete wrappers[method]
  }
}
