import { useLanguageStore } from '../../i18n/store'
import styles from './Counted.module.css'

/** For unknown values. */
export const UNKNOWN = '—'

export interface Count {
  value: number | null | undefined
  /** The count stops at this number, which can mean more. */
  most?: number
}

export function formatCount(value: Count['value'], language: string, most = Infinity): string {
  if (value == null) return UNKNOWN
  return value.toLocaleString(language) + (value >= most ? '+' : '')
}

/** A number with thousands separators and tabular digits, so columns line up. */
export function Counted({ value, most }: Count) {
  const language = useLanguageStore((state) => state.currentLang)
  return <span className={styles.counted}>{formatCount(value, language, most)}</span>
}
