import styles from './Centered.module.css'

/** Puts a statement into the middle of whatever room is left. */
export function Centered({ children }: { children: React.ReactNode }) {
  return <div className={styles.centered}>{children}</div>
}
