import styles from './results.module.css'

/** What may be wider than its place: it scrolls by itself, also by keys where nothing in it can be pressed. */
export function Scroll({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className={styles.scroll} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  )
}
