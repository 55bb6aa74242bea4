import styles from './FormError.module.css'

/** A success message above a form. Its element always exists, so that changes are announced. */
export function FormNotice({ children }: { children?: React.ReactNode }) {
  return (
    <div role="status" className={children ? styles.notice : undefined}>
      {children}
    </div>
  )
}
