import styles from './DataTable.module.css'

interface EmptyFaceProps {
  title: string
  children: React.ReactNode
  /** The button that fills the list. */
  action?: React.ReactNode
}

/** Shown for an empty list: what it is and what to do. */
export function EmptyFace({ title, children, action }: EmptyFaceProps) {
  return (
    <div className={styles.empty}>
      <h2 className={styles.emptyTitle}>{title}</h2>
      <p className={styles.emptyText}>{children}</p>
      {action}
    </div>
  )
}
