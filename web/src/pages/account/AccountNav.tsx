import { Link } from 'react-router'
import { useT } from '../../i18n/useT'
import { paths, type AccountSection } from '../../paths'
import styles from './AccountNav.module.css'

/** The page's sections by purpose, in page order. */
const GROUPS = {
  person: ['profile', 'email'],
  security: ['password', 'mfa', 'passkeys', 'sessions'],
  messages: ['notifications', 'bindings'],
  account: ['export', 'deletion'],
} as const satisfies Record<string, AccountSection[]>

interface AccountNavProps {
  current: AccountSection
  /** Sections this user doesn't have. */
  hides: AccountSection[]
}

export function AccountNav({ current, hides }: AccountNavProps) {
  const t = useT()
  return (
    <nav className={styles.nav} aria-label={t('account.sections')}>
      {(Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => (
        <div key={group} className={styles.group}>
          <p className={styles.caption} aria-hidden="true">
            {t(`account.group.${group}`)}
          </p>
          {GROUPS[group]
            .filter((section: AccountSection) => !hides.includes(section))
            .map((section) => (
              <Link
                key={section}
                to={paths.profile(section)}
                className={styles.link}
                aria-current={section === current ? 'location' : undefined}
              >
                {t(`account.${section}.title`)}
              </Link>
            ))}
        </div>
      ))}
    </nav>
  )
}
