import { useT } from '../../i18n/useT'
import type { AccountSection } from '../../paths'
import styles from './Section.module.css'

interface SectionProps {
  name: AccountSection
  /** In place of what the section usually says about itself. */
  lead?: string
  /** Stands beside the heading. */
  action?: React.ReactNode
  children: React.ReactNode
}

export function Section({ name, lead, action, children }: SectionProps) {
  const t = useT()
  return (
    <section id={name} className={styles.section} tabIndex={-1} aria-labelledby={`${name}-title`}>
      <div className={styles.head}>
        <div>
          <h2 id={`${name}-title`} className={styles.title}>
            {t(`account.${name}.title`)}
          </h2>
          <p className={styles.lead}>{lead ?? t(`account.${name}.lead`)}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
