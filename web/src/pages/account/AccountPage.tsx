/** The person's own account: everything on one page, each part an anchor in its address. */
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { UnsavedGuard } from '../../components/form/unsaved'
import { Page } from '../../components/Page'
import { useT } from '../../i18n/useT'
import { ACCOUNT_SECTIONS, paths, type AccountSection } from '../../paths'
import { useUser } from '../../session/useUser'
import { NotificationsSection } from './NotificationsSection'
import { PasswordSection } from './PasswordSection'
import { ProfileSection } from './ProfileSection'
import { SessionsSection } from './SessionsSection'
import styles from './AccountPage.module.css'

export default function AccountPage() {
  const t = useT()
  const user = useUser()
  const current = useCurrentSection()
  if (!user) return null
  return (
    <Page title={t('title.userInfo')} lead={t('account.lead')}>
      <div className={styles.layout}>
        <nav className={styles.nav} aria-label={t('account.sections')}>
          {ACCOUNT_SECTIONS.map((section) => (
            <Link
              key={section}
              to={paths.profile(section)}
              className={styles.link}
              aria-current={section === current ? 'location' : undefined}
            >
              {t(`account.${section}.title`)}
            </Link>
          ))}
        </nav>
        <div className={styles.sections}>
          <UnsavedGuard>
            {/* What was typed about one person must not be saved for another. */}
            <ProfileSection key={user.id} user={user} />
            <PasswordSection user={user} />
          </UnsavedGuard>
          <SessionsSection />
          <NotificationsSection user={user} />
        </div>
      </div>
    </Page>
  )
}

/** The part that the address names. Going to one also moves the focus there, as a plain anchor would. */
function useCurrentSection(): AccountSection {
  const { hash } = useLocation()
  const section = ACCOUNT_SECTIONS.find((name) => `#${name}` === hash)
  const shown = useRef(section)
  useEffect(() => {
    if (shown.current === section) return
    shown.current = section
    if (section) document.getElementById(section)?.focus({ preventScroll: true })
  }, [section])
  return section ?? ACCOUNT_SECTIONS[0]
}
