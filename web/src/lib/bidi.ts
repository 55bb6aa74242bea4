/** Right-to-left letters, and marks that change the text direction. */
const CHANGES_DIRECTION =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const ISOLATES = /[\u2066-\u2069]/g

/**
 * A name for use in a sentence. Right-to-left letters and direction marks would reorder the words
 * around them, so such names are wrapped in a Unicode isolate; in markup, `<bdi>` does the same.
 * Isolates inside the name are removed, because an unbalanced one would end ours early.
 */
export function isolated(text: string): string {
  return CHANGES_DIRECTION.test(text) ? `\u2068${text.replace(ISOLATES, '')}\u2069` : text
}
