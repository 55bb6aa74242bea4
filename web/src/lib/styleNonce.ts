/**
 * The content security policy allows style elements only with this response's nonce. Ant Design
 * takes it from its configuration, except when a dialog locks scrolling and when it measures the
 * scroll bar: those create a plain style element, which would be blocked.
 */
export const styleNonce = document.querySelector<HTMLMetaElement>(
  'meta[property="csp-nonce"]',
)?.nonce

/** Adds the nonce to every style element our own scripts create. */
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
