/** A page that says one thing and offers the ways on: no access, not found, a link that is gone. */
import styles from './Statement.module.css'

interface StatementProps {
  /** A short mark above the title: a status number or an icon. */
  mark?: React.ReactNode
  title: string
  children: React.ReactNode
  actions?: React.ReactNode
}

export function Statement({ mark, title, children, actions }: StatementProps) {
  return (
    <section className={styles.statement}>
      {mark && <div className={styles.mark}>{mark}</div>}
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.words}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </section>
  )
}
