/**
 * How well a text answers what is typed, null where it does not. Every word must be found: best at
 * the start of the text, then at the start of a word, then anywhere, at last letter by letter.
 */
export function matchScore(text: string, typed: string): number | null {
  const target = plain(text)
  let sum = 0
  for (const word of plain(typed).split(/\s+/).filter(Boolean)) {
    const score = scoreOf(target, word)
    if (score === null) return null
    sum += score
  }
  return sum
}

const plain = (text: string) => text.normalize('NFKC').toLowerCase()

function scoreOf(text: string, word: string): number | null {
  const at = text.indexOf(word)
  if (at === 0) return 0
  if (at > 0) return /[\p{L}\p{N}]/u.test(text[at - 1]!) ? 2 : 1
  const gaps = scattered(text, word)
  return gaps === null ? null : 3 + gaps
}

/** How far apart the letters lie; null where one is missing, or they lie too far apart to be meant. */
function scattered(text: string, word: string): number | null {
  let last = -1
  let gaps = 0
  for (const letter of word) {
    const at = text.indexOf(letter, last + 1)
    if (at < 0) return null
    if (last >= 0) gaps += at - last - 1
    last = at
  }
  return gaps <= 3 * word.length ? gaps : null
}
