/** A state in a word, in the color of what it means. */
import styles from './Badge.module.css'

export type Tone = 'soft' | 'success' | 'warning' | 'danger'

export function Badge({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return (
    <span className={styles.badge} data-tone={tone}>
      {children}
    </span>
  )
}
