/** The name of a language tag such as "zh-CN"; null if it isn't one. */
export function languageName(tag: string, language: string): string | null {
  try {
    return new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }).of(tag) ?? null
  } catch {
    return null
  }
}
