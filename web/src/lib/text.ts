/** Ends with punctuation that brings its own space. */
const MARK = /[：，。；！？、）」]$/u
const ENDS_CHINESE = /\p{Script=Han}$/u
const BEGINS_CHINESE = /^\p{Script=Han}/u

/** What separates two texts on a line: a space, but none within Chinese. */
export function gapBetween(before: string, after: string): '' | ' ' {
  if (!before || !after || MARK.test(before)) return ''
  return ENDS_CHINESE.test(before) && BEGINS_CHINESE.test(after) ? '' : ' '
}
