/** The user's own account: a single page, with each section an anchor in the URL. */
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { UnsavedGuard } from '../../components/form/unsaved'
import { Page } from '../../components/Page'
import { useT } from '../../i18n/useT'
import { ACCOUNT_SECTIONS, type AccountSection } from '../../paths'
import { lacksSecondFactor } from '../../session/secondFactor'
import { useEnvironment } from '../../session/useEnvironment'
import { useUser } from '../../session/useUser'
import { AccountNav } from './AccountNav'
import { BindingsSection } from './BindingsSection'
import { shownProviders } from './bindings'
import { DeletionSection } from './DeletionSection'
import { ProviderNotice } from './ProviderNotice'
import { EmailSection } from './EmailSection'
import { ExportSection } from './ExportSection'
import { MfaNotice } from './MfaNotice'
import { MfaSection } from './MfaSection'
import { NotificationsSection } from './NotificationsSection'
import { PasskeysSection } from './PasskeysSection'
import { PasswordSection } from './PasswordSection'
import { ProfileSection } from './ProfileSection'
import { SessionsSection } from './SessionsSection'
import styles from './AccountPage.module.css'

export default function AccountPage() {
  const t = useT()
  const user = useUser()
  const current = useCurrentSection()
  const environment = useEnvironment()
  if (!user) return null
  const binds = shownProviders(environment, user).length > 0 || user.sso.length > 0
  return (
    <Page title={t('title.userInfo')} lead={t('account.lead')}>
      <div className={styles.layout}>
        <AccountNav current={current} hides={binds ? [] : ['bindings']} />
        <div className={styles.sections}>
          <ProviderNotice user={user} />
          {lacksSecondFactor(user) && <MfaNotice />}
          <UnsavedGuard>
            {/* Input about one user must not be saved for another. */}
            <ProfileSection key={user.id} user={user} />
            <EmailSection user={user} />
            <PasswordSection user={user} />
          </UnsavedGuard>
          <MfaSection user={user} />
          <PasskeysSection user={user} />
          <SessionsSection />
          <NotificationsSection user={user} />
          {binds && <BindingsSection user={user} />}
          <ExportSection />
          <DeletionSection user={user} />
        </div>
      </div>
    </Page>
  )
}

/**
 * The section named in the URL. Navigating to one also moves the focus, as a plain anchor would.
 */
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
