/**
 * Whether the browser brought a session when it asked for this page: the server writes it into the
 * page, so that nobody need be asked who cannot be known. It counts once, for the start: by the next
 * time another tab may have signed in.
 */
export function cameWithoutSession(): boolean {
  const mark = document.querySelector<HTMLMetaElement>('meta[name="atrium-session"]')
  const without = mark?.content === 'none'
  mark?.remove()
  return without
}
