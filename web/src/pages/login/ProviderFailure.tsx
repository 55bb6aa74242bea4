/** Why signing in with a provider failed, and what to do now. */
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import type { User } from '../../api/account'
import { FormError } from '../../components/form/FormError'
import { useT } from '../../i18n/useT'
import { follow } from '../../session/appEntry'
import { providerFailureText } from '../../session/providerFailure'
import { destinationFor, loadUser, startUp } from '../../session/session'
import styles from './signInProviders.module.css'

interface ProviderFailureProps {
  search: string
  /** The failure named in the URL. */
  failed: string
  /** Set if it was single sign-on and that is still offered. */
  onRetry?: () => void
}

export default function ProviderFailure({ search, failed, onRetry }: ProviderFailureProps) {
  const t = useT()
  const user = useStillSignedIn()
  return (
    <FormError>
      <div className={styles.failure}>
        <p>{providerFailureText(t, failed)}</p>
        {onRetry && (
          <Button type="link" onClick={onRetry}>
            {t('provider.retry')}
          </Button>
        )}
        {user && (
          <Button
            type="link"
            onClick={() => follow(destinationFor(user, search), { replace: true })}
          >
            {t('provider.goOn', { name: user.name })}
          </Button>
        )}
      </div>
    </FormError>
  )
}

/** An earlier session is still valid, so the user can continue with it. */
function useStillSignedIn(): User | null {
  const [user, setUser] = useState<User | null>(null)
  useEffect(() => {
    let gone = false
    startUp()
      .then(loadUser)
      .then((loaded) => !gone && setUser(loaded))
      .catch(() => {})
    return () => {
      gone = true
    }
  }, [])
  return user
}
