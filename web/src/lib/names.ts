/**
 * Names in the order in which people look for them: Chinese ones by their pinyin, in either language
 * of the console, because a team's members and apps are the same in both.
 */
const COLLATOR = new Intl.Collator('zh-CN-u-co-pinyin', { numeric: true, sensitivity: 'base' })

export const byName = (one: { name: string }, other: { name: string }): number =>
  COLLATOR.compare(one.name, other.name)

/** The characters of a text as people count them: an emoji of several code points is one. */
export const graphemes = (text: string): string[] =>
  [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
