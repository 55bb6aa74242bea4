/**
 * Names in the order in which people look for them: Chinese ones by their pinyin, in either language
 * of the console, because a team's members and apps are the same in both.
 */
const COLLATOR = new Intl.Collator('zh-CN-u-co-pinyin', { numeric: true, sensitivity: 'base' })

export const byName = (one: { name: string }, other: { name: string }): number =>
  COLLATOR.compare(one.name, other.name)
