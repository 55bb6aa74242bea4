import { useT } from '../../i18n/useT'
import type { AccountSection } from '../../paths'
import styles from './Section.module.css'

interface SectionProps {
  name: AccountSection
  /** Stands beside the heading. */
  action?: React.ReactNode
  children: React.ReactNode
}

export function Section({ name, action, children }: SectionProps) {
  const t = useT()
  return (
    <section id={name} className={styles.section} tabIndex={-1} aria-labelledby={`${name}-title`}>
      <div className={styles.head}>
        <div>
          <h2 id={`${name}-title`} className={styles.title}>
            {t(`account.${name}.title`)}
          </h2>
          <p className={styles.lead}>{t(`account.${name}.lead`)}</p>
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
