/**
 * Puts text on the clipboard. Many intranets serve without a secure connection, where browsers
 * withhold the clipboard; the old command still works there. False where neither does.
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
  // Beside what has the focus: a dialog would call it back from anywhere else.
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
