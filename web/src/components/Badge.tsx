/** A state in one word, colored by its meaning. */
import styles from './Badge.module.css'

export type Tone = 'soft' | 'success' | 'warning' | 'danger'

export function Badge({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  )
}
