import type { Button, Properties } from './types'

const BUTTONS = 'button, [role="button"], input[type="submit"], input[type="button"]'
const IGNORED = '[data-atrium-ignore]'
const LABEL_LENGTH = 100

/** The button that was clicked, if any. */
export function clickedButton({ target }: Event): Element | null {
  return target instanceof Element && !target.closest(IGNORED) ? target.closest(BUTTONS) : null
}

/** The properties to report for a button, or undefined if the page opted it out. */
export function describeButton(button: Element | Button): Properties | undefined {
  const { id, label, element }: Button = button instanceof Element ? { element: button } : button
  if (element && element.closest(IGNORED)) return
  return {
    button_id: id != null ? id : element ? element.id : '',
    button_label: shorten(label != null ? label : element ? visibleText(element) : ''),
  }
}

function visibleText(element: Element): string {
  const { type, value, isContentEditable, innerText } = element as HTMLInputElement
  if (/^(input|textarea|select)$/i.test(element.tagName)) {
    // Other inputs hold what the visitor typed.
    return /^(submit|button)$/.test(type) ? value : ''
  }
  if (isContentEditable) return ''
  return innerText != null ? innerText : element.textContent || ''
}

function shorten(text: string): string {
  // Cut by code point: half an emoji is not valid text.
  const characters = Array.from(String(text).replace(/\s+/g, ' ').trim())
  return characters.slice(0, LABEL_LENGTH).join('').trim()
}
