/**
 * How well a text matches the input; null if it doesn't. Every word must match: best at the start
 * of the text, then at the start of a word, then anywhere, then as scattered letters.
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

/**
 * How far apart the letters are; null if one is missing or they are too far apart to be intended.
 */
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
