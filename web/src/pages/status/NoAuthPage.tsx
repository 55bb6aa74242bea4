import { Button } from 'antd'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { ApiError, isUnauthorized } from '../../api/errors'
import { FormError } from '../../components/form/FormError'
import { LinkButton } from '../../components/LinkButton'
import { Statement } from '../../components/Statement'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { follow } from '../../session/appEntry'
import { leaveForSignIn } from '../../session/guard'
import { destinationFor, reloadUser } from '../../session/session'
import { useUser } from '../../session/useUser'
import styles from './NoAuthPage.module.css'

/** Signed in, but no team or app to go to yet. Invitations and new teams find their place here later. */
export default function NoAuthPage() {
  const t = useT()
  const { search } = useLocation()
  const user = useUser()
  const { check, checking, outcome } = useAccessCheck(search)
  if (!user) return null

  const hasAccess = user.allow_visited_app === true
  return (
    <Statement
      title={t(hasAccess ? 'noAuth.granted' : 'noAuth.title')}
      actions={
        <>
          <Button type="primary" loading={checking} onClick={() => void check()}>
            {t(hasAccess ? 'noAuth.continue' : 'noAuth.check')}
          </Button>
          <LinkButton to={paths.logout()}>{t('person.signOut')}</LinkButton>
        </>
      }
    >
      {!hasAccess && <p>{t('noAuth.text')}</p>}
      <p className={styles.person}>
        {t('noAuth.signedInAs')} <strong>{user.name}</strong> <span>{user.email}</span>
      </p>
      {outcome instanceof ApiError ? (
        <FormError>{outcome.message}</FormError>
      ) : (
        <p role="status">{outcome === 'still' ? t('noAuth.still') : ''}</p>
      )}
    </Statement>
  )
}

/** Asks the server again and goes back to where the person was heading once access has arrived. */
function useAccessCheck(search: string) {
  const [checking, setChecking] = useState(false)
  const [outcome, setOutcome] = useState<'still' | ApiError | null>(null)

  async function check() {
    setChecking(true)
    setOutcome(null)
    try {
      const user = await reloadUser()
      if (user.allow_visited_app) follow(destinationFor(user, search), { replace: true })
      else setOutcome('still')
    } catch (error) {
      if (isUnauthorized(error)) leaveForSignIn()
      else if (error instanceof ApiError) setOutcome(error)
      else throw error
    } finally {
      setChecking(false)
    }
  }

  return { check, checking, outcome }
}
