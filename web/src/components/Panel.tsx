import { useId } from 'react'
import styles from './Panel.module.css'

interface PanelProps {
  /** Makes it a target of links, which move the focus here. */
  id?: string
  title: string
  lead?: React.ReactNode
  /** Beside the title: what can be done with all of it. */
  action?: React.ReactNode
  children: React.ReactNode
}

/** A titled part of a page. */
export function Panel({ id, title, lead, action, children }: PanelProps) {
  const own = useId()
  // Known by name, so that lists inside can be called after it.
  const heading = id === undefined ? own : `${id}-title`
  return (
    <section
      id={id}
      className={styles.panel}
      tabIndex={id === undefined ? undefined : -1}
      aria-labelledby={heading}
    >
      <div className={styles.head}>
        <div>
          <h2 id={heading} className={styles.title}>
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
