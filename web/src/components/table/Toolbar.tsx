import styles from './DataTable.module.css'

/** Above a list: search and filters at the start, actions at the end. */
export function Toolbar({
  children,
  actions,
}: {
  children?: React.ReactNode
  actions?: React.ReactNode
}) {
  return (
    <div className={styles.toolbar}>
      <div className={styles.filters}>{children}</div>
      {actions}
    </div>
  )
}
