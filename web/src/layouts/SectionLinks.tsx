import { Link, useLocation } from 'react-router'
import { useT } from '../i18n/useT'
import { useShownOrg } from '../session/org'
import { sectionOf, SECTIONS } from './sections'
import styles from './SectionLinks.module.css'

interface SectionLinksProps {
  className?: string
  onFollow?: () => void
}

export function SectionLinks({ className = '', onFollow }: SectionLinksProps) {
  const t = useT()
  const { pathname } = useLocation()
  const current = sectionOf(pathname)
  const org = useShownOrg()
  return (
    <nav className={`${styles.sections} ${className}`} aria-label={t('shell.sections')}>
      {SECTIONS.map((section) => (
        <Link
          key={section.key}
          to={section.to(org)}
          className={styles.section}
          aria-current={section.key === current ? 'true' : undefined}
          onClick={onFollow}
        >
          {t(section.label)}
        </Link>
      ))}
    </nav>
  )
}
