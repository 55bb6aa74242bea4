/** Shown to owners and operators without a second factor: the date from which they need one. */
import { Link } from 'react-router'
import { useLanguageStore } from '../i18n/store'
import { useT } from '../i18n/useT'
import { plannedTime } from '../lib/time'
import { paths } from '../paths'
import { useUser } from '../session/useUser'
import styles from './FactorNotice.module.css'

export function FactorNotice() {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const user = useUser()
  if (!user) return null
  const { totp, passkeys, required, required_from } = user.mfa
  // Where it is already required, the pages say so themselves.
  if (!required_from || required || totp || passkeys > 0) return null
  const date = plannedTime(Date.parse(required_from), language, user.timezone)
  return (
    <p className={styles.notice} role="note">
      {t('mfa.soon', { date })} <Link to={paths.profile('mfa')}>{t('mfa.soonLink')}</Link>
    </p>
  )
}
