/** How binding an account elsewhere ended. At the top: the person comes back to the top of the page. */
import type { User } from '../../api/account'
import { FormError } from '../../components/form/FormError'
import { FormNotice } from '../../components/form/FormNotice'
import { useT } from '../../i18n/useT'
import { useOnceInAddress } from '../../router/useOnceInAddress'
import { doorFailure } from '../../session/doorFailure'
import { readDoor } from '../../session/doors'
import styles from './AccountPage.module.css'

const NEWS = ['bound', 'failed', 'provider'] as const

export function DoorNotice({ user }: { user: User }) {
  const t = useT()
  const { bound, failed } = useOnceInAddress(NEWS)
  const provider = readDoor(bound)
  // An address that anyone can write is no proof: what is on the account is.
  const isBound = provider !== null && provider !== 'sso' && user.bindings[provider] != null
  if (failed === null && !isBound) return null
  return (
    <div className={styles.news}>
      <FormError>{failed !== null && doorFailure(t, failed)}</FormError>
      <FormNotice>
        {failed === null &&
          isBound &&
          t('bindings.done', { name: t(`notify.channel.${provider}`) })}
      </FormNotice>
    </div>
  )
}
