/** What became of a trip through an outside door that did not end with a sign-in. */
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import type { User } from '../../api/account'
import { FormError } from '../../components/form/FormError'
import { useT } from '../../i18n/useT'
import { follow } from '../../session/appEntry'
import { doorFailure } from '../../session/doorFailure'
import { destinationFor, loadUser, startUp } from '../../session/session'
import styles from './doors.module.css'

interface DoorFailureProps {
  search: string
  /** As the address said it. */
  failed: string
  /** Where it was single sign-on, and that is still offered. */
  onRetry?: () => void
}

export default function DoorFailure({ search, failed, onRetry }: DoorFailureProps) {
  const t = useT()
  const user = useStillSignedIn()
  return (
    <FormError>
      <div className={styles.failure}>
        <p>{doorFailure(t, failed)}</p>
        {onRetry && (
          <Button type="link" onClick={onRetry}>
            {t('door.retry')}
          </Button>
        )}
        {user && (
          <Button
            type="link"
            onClick={() => follow(destinationFor(user, search), { replace: true })}
          >
            {t('door.goOn', { name: user.name })}
          </Button>
        )}
      </div>
    </FormError>
  )
}

/** Whoever was signed in before the trip still is, and can go on as they were. */
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
