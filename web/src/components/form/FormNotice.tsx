import styles from './FormError.module.css'

/** What went well, said above a form. The place is there from the start, so that it is announced. */
export function FormNotice({ children }: { children?: React.ReactNode }) {
  return (
    <div role="status" className={children ? styles.notice : undefined}>
      {children}
    </div>
  )
}
