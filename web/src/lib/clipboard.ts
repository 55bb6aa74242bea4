/**
 * Copies text. Many intranets have no HTTPS, without which browsers withhold the clipboard API; the
 * old command still works there. False if neither does.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByCommand(text)
  }
}

function copyByCommand(text: string): boolean {
  // Next to the focused element: a dialog would pull the focus back from anywhere else.
  const focused = document.activeElement as HTMLElement | null
  const place = focused?.parentElement ?? document.body
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'visually-hidden'
  place.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  focused?.focus()
  return done
}
