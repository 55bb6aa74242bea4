/** A page with a single message and ways forward: no access, not found, an expired link. */
import { useTitleInstead } from './documentTitle'
import styles from './MessagePage.module.css'

interface MessagePageProps {
  /** It replaces a page whose title would be wrong here. */
  instead?: boolean
  /** A status number or icon above the title. */
  mark?: React.ReactNode
  title: string
  children: React.ReactNode
  actions?: React.ReactNode
}

export function MessagePage({ instead, mark, title, children, actions }: MessagePageProps) {
  return (
    <section className={styles.page}>
      {instead && <TitleInstead title={title} />}
      {mark && <div className={styles.mark}>{mark}</div>}
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.words}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </section>
  )
}

function TitleInstead({ title }: { title: string }) {
  useTitleInstead(title)
  return null
}
