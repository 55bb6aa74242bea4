import styles from './organization.module.css'

interface CardProps {
  id: string
  title: string
  lead: string
  children: React.ReactNode
}

/** A part of a settings page. */
export function Card({ id, title, lead, children }: CardProps) {
  return (
    <section id={id} className={styles.card} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className={styles.cardTitle}>
        {title}
      </h2>
      <p className={styles.cardLead}>{lead}</p>
      {children}
    </section>
  )
}
