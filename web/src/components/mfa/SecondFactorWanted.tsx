/** Shown instead of what a team locks until there is a second factor: the way to set one up. */
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { shownAddress } from '../../session/guard'
import { useUser } from '../../session/useUser'
import { LinkButton } from '../LinkButton'
import { TotpEnrollment } from './TotpEnrollment'
import styles from './mfa.module.css'

export default function SecondFactorWanted({ onDone }: { onDone: () => void }) {
  const t = useT()
  const mfa = useUser()?.mfa
  // There is one, but this sign-in didn't use it.
  const signInAgain = mfa !== undefined && (mfa.totp || mfa.passkeys > 0)
  return (
    <section className={styles.notice} role="alert">
      <div>
        <h2>{t('mfa.required')}</h2>
        <p>{t(signInAgain ? 'mfa.wantedAgain' : 'mfa.wantedText')}</p>
      </div>
      {signInAgain ? (
        <LinkButton type="primary" to={paths.logout({ redirect: shownAddress() })}>
          {t('reauth.signInAgain')}
        </LinkButton>
      ) : (
        <TotpEnrollment onDone={onDone} />
      )}
    </section>
  )
}
