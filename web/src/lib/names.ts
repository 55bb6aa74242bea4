/**
 * Sorts names the way people look them up: Chinese ones by pinyin. The same in both languages,
 * because a team's members and apps are the same in both.
 */
const COLLATOR = new Intl.Collator('zh-CN-u-co-pinyin', { numeric: true, sensitivity: 'base' })

export const byName = (one: { name: string }, other: { name: string }): number =>
  COLLATOR.compare(one.name, other.name)

/** Splits text into characters as people count them: an emoji of several code points is one. */
export const graphemes = (text: string): string[] =>
  [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
