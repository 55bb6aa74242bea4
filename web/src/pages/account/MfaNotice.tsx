import { TotpEnrollment } from '../../components/mfa/TotpEnrollment'
import { useT } from '../../i18n/useT'
import styles from '../../components/mfa/mfa.module.css'

/** Shown if a team requires a second factor and the user has none. */
export function MfaNotice() {
  const t = useT()
  return (
    <section className={styles.notice} aria-labelledby="mfa-notice">
      <div>
        <h2 id="mfa-notice">{t('mfa.required')}</h2>
        <p>{t('mfa.requiredText')}</p>
      </div>
      <TotpEnrollment />
    </section>
  )
}
