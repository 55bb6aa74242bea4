import { Button } from 'antd'
import { ApiError } from '../api/errors'
import { useT } from '../i18n/useT'
import { useGathered, type Failure } from './failures'
import { onDemand } from './onDemand'
import { RequestId } from './RequestId'
import styles from './LoadFailure.module.css'

// Rarely needed, and it brings all of enrollment along.
const SecondFactorWanted = onDemand(() => import('./mfa/SecondFactorWanted'))
const SsoWanted = onDemand(() => import('./sso/SsoWanted'))

/** Shown instead of what failed to load: what happened, a retry, and the request ID. */
export function LoadFailure(failure: Failure) {
  const t = useT()
  const gathered = useGathered(failure)
  if (gathered) return <p className={styles.gathered}>{t('common.notLoaded')}</p>
  return <FailureNotice {...failure} />
}

export function FailureNotice({ error, retrying, onRetry }: Failure) {
  const t = useT()
  if (error instanceof ApiError && error.code === 'second_factor_required') {
    return <SecondFactorWanted needed onDone={onRetry} />
  }
  if (error instanceof ApiError && error.code === 'sso_required') return <SsoWanted needed />
  return (
    <div className={styles.failure} role="alert">
      <p>{error.message}</p>
      {error instanceof ApiError && error.requestId && <RequestId id={error.requestId} />}
      <Button loading={retrying} onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </div>
  )
}
