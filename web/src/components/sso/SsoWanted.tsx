/** Shown instead of what a team locks for sessions that didn't use its single sign-on. */
import { useT } from '../../i18n/useT'
import styles from '../mfa/mfa.module.css'
import { SsoAgainButton } from './SsoAgainButton'

export default function SsoWanted() {
  const t = useT()
  return (
    <section className={styles.notice} role="alert">
      <div>
        <h2>{t('sso.wanted')}</h2>
        <p>{t('sso.wantedText')}</p>
      </div>
      <SsoAgainButton />
    </section>
  )
}
