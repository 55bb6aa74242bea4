import styles from './FormError.module.css'

/** What went wrong with a form as a whole. Announced when it appears; the place is kept by the form. */
export function FormError({ children }: { children?: React.ReactNode }) {
  return children ? (
    <div className={styles.error} role="alert">
      {children}
    </div>
  ) : null
}
