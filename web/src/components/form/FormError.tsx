import styles from './FormError.module.css'

/** An error about the form as a whole. Announced when it appears; the form reserves its space. */
export function FormError({ children }: { children?: React.ReactNode }) {
  return children ? (
    <div className={styles.error} role="alert">
      {children}
    </div>
  ) : null
}
