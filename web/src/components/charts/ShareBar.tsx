import { useLanguageStore } from '../../i18n/store'
import { percent } from './format'
import styles from './ShareBar.module.css'

/** A share of a total, as a bar and a number. */
export function ShareBar({ share }: { share: number }) {
  const language = useLanguageStore((state) => state.currentLang)
  return (
    <span className={styles.share}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.bar} style={{ width: `${share * 100}%` }} />
      </span>
      <span className={styles.number}>{percent(share, language)}</span>
    </span>
  )
}
