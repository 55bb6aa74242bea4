/** Addresses as people paste them: out of a mail's recipients, a column of a sheet, a chat. */

export interface Addresses {
  /** Each once, in the order they came. */
  valid: string[]
  /** What is certainly no address. */
  wrong: string[]
}

/** The separators of both writing systems. */
const SEPARATORS = /[\s,;|<>"'()，；、：《》（）“”]+/

/** A name may hold a separator: "Lin, Xiaoyu" <lin@example.com>. */
const QUOTED = /"[^"\n]*"/g

export function readAddresses(text: string): Addresses {
  const valid = new Map<string, string>()
  const wrong: string[] = []
  for (const line of text.replace(QUOTED, ' ').split(/[\n,;，；、]+/)) {
    const words = line.split(SEPARATORS).filter(Boolean)
    const found = words.map((word) => word.replace(/^mailto:/i, '')).filter(isAddress)
    for (const address of found) {
      // Names beside an address ("Lin <lin@example.com>") are no mistake.
      const known = address.toLowerCase()
      if (!valid.has(known)) valid.set(known, address)
    }
    if (words.length > 0 && found.length === 0) wrong.push(line.trim())
  }
  return { valid: [...valid.values()], wrong }
}

const isAddress = (word: string) => /^[^\s@]+@[^\s@]+$/.test(word)
