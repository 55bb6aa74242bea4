/** Addresses as people paste them: from an email's recipients, a spreadsheet column, or a chat. */

export interface Addresses {
  /** Deduplicated, in order. */
  valid: string[]
  /** Certainly not an address. */
  wrong: string[]
}

/** The separators of both languages. */
const SEPARATORS = /[\s,;|<>"'()，；、：《》（）“”]+/

/** A quoted name may contain a separator: "Lin, Xiaoyu" <lin@example.com>. */
const QUOTED = /"[^"\n]*"/g

export function readAddresses(text: string): Addresses {
  const valid = new Map<string, string>()
  const wrong: string[] = []
  for (const line of text.replace(QUOTED, ' ').split(/[\n,;，；、]+/)) {
    const words = line.split(SEPARATORS).filter(Boolean)
    const found = words.map((word) => word.replace(/^mailto:/i, '')).filter(isAddress)
    for (const address of found) {
      // A name beside an address ("Lin <lin@example.com>") is not an error.
      const known = address.toLowerCase()
      if (!valid.has(known)) valid.set(known, address)
    }
    if (words.length > 0 && found.length === 0) wrong.push(line.trim())
  }
  return { valid: [...valid.values()], wrong }
}

const isAddress = (word: string) => /^[^\s@]+@[^\s@]+$/.test(word)
