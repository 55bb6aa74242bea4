/**
 * The content security policy admits a style element only with the nonce of this response. Ant
 * Design takes it from its configuration, except where a dialog locks the page's scrolling and
 * where it measures a scroll bar: those make a bare style element, which would be refused.
 */
export const styleNonce = document.querySelector<HTMLMetaElement>(
  'meta[property="csp-nonce"]',
)?.nonce

/** Gives the nonce to every style element that our own, already admitted scripts create. */
export function admitOwnStyles(nonce = styleNonce): void {
  if (!nonce) return
  const create: (name: string, options?: ElementCreationOptions) => HTMLElement =
    document.createElement.bind(document)
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options)
    if (element instanceof HTMLStyleElement) element.nonce = nonce
    return element
  }
}
