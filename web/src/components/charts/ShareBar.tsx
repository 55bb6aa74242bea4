import { useLanguageStore } from '../../i18n/store'
import { percent } from './format'
import styles from './ShareBar.module.css'

/** A part of a whole, as a bar and as a number. */
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
