/**
 * The result of linking an account elsewhere. At the top, because the user returns to the top of
 * the page.
 */
import type { User } from '../../api/account'
import { FormError } from '../../components/form/FormError'
import { FormNotice } from '../../components/form/FormNotice'
import { useT } from '../../i18n/useT'
import { useOnceInAddress } from '../../router/useOnceInAddress'
import { providerFailureText } from '../../session/providerFailure'
import { readSignInProvider } from '../../session/signInProviders'
import styles from './AccountPage.module.css'

const NEWS = ['bound', 'failed', 'provider'] as const

export function ProviderNotice({ user }: { user: User }) {
  const t = useT()
  const { bound, failed } = useOnceInAddress(NEWS)
  const provider = readSignInProvider(bound)
  // Anyone can write a URL; only the account itself is proof.
  const isBound = provider !== null && provider !== 'sso' && user.bindings[provider] != null
  if (failed === null && !isBound) return null
  return (
    <div className={styles.news}>
      <FormError>{failed !== null && providerFailureText(t, failed)}</FormError>
      <FormNotice>
        {failed === null &&
          isBound &&
          t('bindings.done', { name: t(`notify.channel.${provider}`) })}
      </FormNotice>
    </div>
  )
}
