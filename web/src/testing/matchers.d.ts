import 'vitest'

declare module 'vitest' {
  interface Matchers {
    /** The element is in the page. */
    toBeShown: () => void
  }
}
