/** Shown instead of an app: loading, not found, or no access. */
import { Skeleton } from 'antd'
import { ApiError } from '../api/errors'
import { Centered } from '../components/Centered'
import { LinkButton } from '../components/LinkButton'
import { LoadFailure } from '../components/LoadFailure'
import { TotpEnrollment } from '../components/mfa/TotpEnrollment'
import { Refused } from '../components/Refused'
import { SsoAgainButton } from '../components/sso/SsoAgainButton'
import { MessagePage } from '../components/MessagePage'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { shownAddress } from '../session/guard'
import { useUser } from '../session/useUser'
import styles from './AppSettingsLayout.module.css'

export function AppLoading() {
  const t = useT()
  return (
    <div role="status" aria-busy="true">
      <span className="visually-hidden">{t('common.loading')}</span>
      <div className={styles.header} aria-hidden="true">
        <Skeleton.Node active className={styles.nameSkeleton} />
      </div>
      <div className={styles.waiting} aria-hidden="true">
        <Skeleton active paragraph={{ rows: 6 }} />
      </div>
    </div>
  )
}

interface AppFailureProps {
  error: Error
  retrying: boolean
  onRetry: () => void
}

export function AppFailure({ error, retrying, onRetry }: AppFailureProps) {
  const t = useT()
  const { status, code } = error instanceof ApiError ? error : { status: 0, code: null }
  if (code === 'second_factor_required') return <SecondFactorFace onDone={onRetry} />
  if (code === 'sso_required') return <SsoFace />
  if (status === 403) return <Refused />
  if (status === 404) {
    return (
      <Face mark="404" title={t('notFound.title')}>
        <p>{t('appSettings.notFound')}</p>
      </Face>
    )
  }
  return (
    <Centered>
      <MessagePage instead title={t('appSettings.failed')}>
        <LoadFailure error={error} retrying={retrying} onRetry={onRetry} />
      </MessagePage>
    </Centered>
  )
}

function Face(props: { mark: string; title: string; children: React.ReactNode }) {
  const t = useT()
  return (
    <Centered>
      <MessagePage
        instead
        {...props}
        actions={
          <LinkButton type="primary" to={paths.teamApps()}>
            {t('title.teamApps')}
          </LinkButton>
        }
      />
    </Centered>
  )
}

/** The team requires single sign-on. */
function SsoFace() {
  const t = useT()
  return (
    <Centered>
      <MessagePage instead title={t('sso.wanted')} actions={<SsoAgainButton />}>
        <p>{t('sso.wantedText')}</p>
      </MessagePage>
    </Centered>
  )
}

/**
 * The team requires a second factor. Enrolling counts immediately; an existing one requires a new
 * sign-in.
 */
function SecondFactorFace({ onDone }: { onDone: () => void }) {
  const t = useT()
  const mfa = useUser()?.mfa
  const enrolled = mfa !== undefined && (mfa.totp || mfa.passkeys > 0)
  return (
    <Centered>
      <MessagePage
        instead
        title={t('mfa.required')}
        actions={
          enrolled ? (
            <LinkButton type="primary" to={paths.logout({ redirect: shownAddress() })}>
              {t('reauth.signInAgain')}
            </LinkButton>
          ) : (
            <TotpEnrollment onDone={onDone} />
          )
        }
      >
        <p>{t(enrolled ? 'appSettings.factorUnused' : 'noAuth.mfaText')}</p>
      </MessagePage>
    </Centered>
  )
}
