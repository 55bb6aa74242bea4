import { useId } from 'react'
import styles from './Panel.module.css'

interface PanelProps {
  title: string
  lead?: React.ReactNode
  /** Beside the title: what can be done with all of it. */
  action?: React.ReactNode
  children: React.ReactNode
}

/** A part of a page with a name of its own. */
export function Panel({ title, lead, action, children }: PanelProps) {
  const id = useId()
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <div>
          <h2 id={id} className={styles.title}>
            {title}
          </h2>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
