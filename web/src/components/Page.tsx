/** A page of the console: its heading, what it is about, its content. */
import styles from './Page.module.css'

interface PageProps {
  title: string
  lead?: React.ReactNode
  children: React.ReactNode
}

export function Page({ title, lead, children }: PageProps) {
  return (
    <div className={styles.page}>
      <h1 className={styles.title}>{title}</h1>
      {lead && <p className={styles.lead}>{lead}</p>}
      <div className={styles.body}>{children}</div>
    </div>
  )
}
