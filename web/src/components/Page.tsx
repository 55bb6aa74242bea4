/** A console page: heading, introduction, content. */
import styles from './Page.module.css'

interface PageProps {
  title: string
  lead?: React.ReactNode
  /** For figures and tables, which use the full width; text doesn't. */
  wide?: boolean
  children: React.ReactNode
}

export function Page({ title, lead, wide = false, children }: PageProps) {
  return (
    <div className={styles.page} data-wide={wide}>
      <h1 className={styles.title}>{title}</h1>
      {lead && <p className={styles.lead}>{lead}</p>}
      <div className={styles.body}>{children}</div>
    </div>
  )
}
