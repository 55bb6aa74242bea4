/** What the language of a tag such as "zh-CN" is called; null for what is no language. */
export function languageName(tag: string, language: string): string | null {
  try {
    return new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(tag) ?? null
  } catch {
    return null
  }
}
