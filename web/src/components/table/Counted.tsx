import { useLanguageStore } from '../../i18n/store'
import styles from './Counted.module.css'

/** What is not known. */
export const UNKNOWN = '—'

export interface Count {
  value: number | null | undefined
  /** Counting stops there: this many stand for more, too. */
  most?: number
}

export function formatCount(value: Count['value'], language: string, most = Infinity): string {
  if (value == null) return UNKNOWN
  return value.toLocaleString(language) + (value >= most ? '+' : '')
}

/** A number with thousands separators, in digits of one width so that columns line up. */
export function Counted({ value, most }: Count) {
  const language = useLanguageStore((state) => state.currentLang)
  return <span className={styles.counted}>{formatCount(value, language, most)}</span>
}
