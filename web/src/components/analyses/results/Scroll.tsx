import styles from './results.module.css'

/**
 * For content that may be too wide: it scrolls by itself, also by keyboard if nothing inside is
 * focusable.
 */
export function Scroll({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className={styles.scroll} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
