/**
 * Signed in, but with nothing to open yet: offers everything that could change that. The page
 * checks for access by itself, because someone else usually grants it.
 */
import { Button } from 'antd'
import { useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import { ApiError } from '../../api/errors'
import { FormError } from '../../components/form/FormError'
import { TotpEnrollment } from '../../components/mfa/TotpEnrollment'
import { LinkButton } from '../../components/LinkButton'
import { MessagePage } from '../../components/MessagePage'
import { MyInvitations } from '../../components/teams/MyInvitations'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import { shownAddress } from '../../session/guard'
import { lacksSecondFactor } from '../../session/secondFactor'
import { useUser } from '../../session/useUser'
import { NoAuthCreate } from './NoAuthCreate'
import { NoAuthJoinable } from './NoAuthJoinable'
import { NoAuthSso } from './NoAuthSso'
import { NoAuthTeams } from './NoAuthTeams'
import { useAccessCheck } from './useAccessCheck'
import styles from './NoAuthPage.module.css'

export default function NoAuthPage() {
  const t = useT()
  const { search } = useLocation()
  const user = useUser()
  const hasAccess = user?.allow_visited_app === true
  const { check, watch, checking, outcome } = useAccessCheck(search)
  useEffect(() => (hasAccess ? undefined : watch()), [hasAccess, watch])
  if (!user) return null

  // Then this is what blocks access, and the user can fix it alone.
  const lacksFactor = !hasAccess && lacksSecondFactor(user)
  const title = hasAccess ? 'noAuth.granted' : lacksFactor ? 'mfa.required' : 'noAuth.title'
  return (
    <>
      <MessagePage
        title={t(title)}
        actions={
          <>
            {lacksFactor && <TotpEnrollment onDone={() => void check()} />}
            <Button
              type={lacksFactor ? 'default' : 'primary'}
              loading={checking}
              onClick={() => void check()}
            >
              {t(hasAccess ? 'noAuth.continue' : 'noAuth.check')}
            </Button>
            <LinkButton to={paths.logout()}>{t('person.signOut')}</LinkButton>
          </>
        }
      >
        {!hasAccess && <p>{t(lacksFactor ? 'noAuth.mfaText' : 'noAuth.text')}</p>}
        {!hasAccess && user.mfa.required && !lacksFactor && (
          // They have a second factor, but may not have used it for this sign-in.
          <p>
            {t('noAuth.again')}{' '}
            <Link to={paths.logout({ redirect: shownAddress() })}>{t('reauth.signInAgain')}</Link>
          </p>
        )}
        <p className={styles.person}>
          {t('noAuth.signedInAs')} <strong>{user.name}</strong> <span>{user.email}</span>
        </p>
        {outcome instanceof ApiError ? (
          <FormError>{outcome.message}</FormError>
        ) : (
          <p role="status">{outcome === 'still' ? t('noAuth.still') : ''}</p>
        )}
      </MessagePage>
      {!hasAccess && (
        <div className={styles.ways}>
          <NoAuthSso user={user} />
          <MyInvitations onAccepted={() => void check()} />
          <NoAuthJoinable />
          <NoAuthTeams
            reason={user.mfa.required ? undefined : t('noAuth.teamsText')}
            onLeft={() => void check()}
          />
          <NoAuthCreate onCreated={() => void check()} />
        </div>
      )}
    </>
  )
}
