import { useLanguageStore } from '../../i18n/store'
import styles from './Counted.module.css'

/** What is not known. */
export const UNKNOWN = '—'

export function formatCount(value: number | null | undefined, language: string): string {
  return value == null ? UNKNOWN : value.toLocaleString(language)
}

/** A number with thousands separators, in digits of one width so that columns line up. */
export function Counted({ value }: { value: number | null | undefined }) {
  const language = useLanguageStore((state) => state.currentLang)
  return <span className={styles.counted}>{formatCount(value, language)}</span>
}
