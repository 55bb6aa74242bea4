/** A page that says one thing and offers the ways on: no access, not found, a link that is gone. */
import { useTitleInstead } from './documentTitle'
import styles from './MessagePage.module.css'

interface MessagePageProps {
  /** It stands in the place of a page whose title would say something else. */
  instead?: boolean
  /** A short mark above the title: a status number or an icon. */
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
