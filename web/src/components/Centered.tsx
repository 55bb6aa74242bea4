import styles from './Centered.module.css'

/** Centers its content in the remaining space. */
export function Centered({ children }: { children: React.ReactNode }) {
  return <div className={styles.centered}>{children}</div>
}
