import styles from './DataTable.module.css'

interface EmptyFaceProps {
  title: string
  children: React.ReactNode
  /** The one button that fills it. */
  action?: React.ReactNode
}

/** In place of a list with nothing in it: what this is, and what to do. */
export function EmptyFace({ title, children, action }: EmptyFaceProps) {
  return (
    <div className={styles.empty}>
      <h2 className={styles.emptyTitle}>{title}</h2>
      <p className={styles.emptyText}>{children}</p>
      {action}
    </div>
  )
}
