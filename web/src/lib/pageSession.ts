/**
 * Whether the browser sent a session when it loaded this page. The server writes that into the
 * page, which saves a request that would fail. Valid once, at start-up: later, another tab may have
 * signed in.
 */
export function cameWithoutSession(): boolean {
  const mark = document.querySelector<HTMLMetaElement>('meta[name="atrium-session"]')
  const without = mark?.content === 'none'
  mark?.remove()
  return without
}
