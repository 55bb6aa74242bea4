import { useId } from 'react'
import styles from './Panel.module.css'

interface PanelProps {
  /** Makes it a link target, which takes the focus. */
  id?: string
  title: string
  lead?: React.ReactNode
  /** Beside the title: actions for the whole panel. */
  action?: React.ReactNode
  children: React.ReactNode
}

/** A titled part of a page. */
export function Panel({ id, title, lead, action, children }: PanelProps) {
  const own = useId()
  // Has an ID so lists inside can be labeled by it.
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
