import { Button } from 'antd'
import { lazy, Suspense } from 'react'
import { ApiError } from '../api/errors'
import { useT } from '../i18n/useT'
import styles from './LoadFailure.module.css'

// Few ever see it, and it brings the whole enrolment along.
const SecondFactorWanted = lazy(() => import('./mfa/SecondFactorWanted'))

interface LoadFailureProps {
  error: Error
  retrying: boolean
  onRetry: () => void
}

/** In place of what could not be loaded: what happened, a retry, and the id to ask about. */
export function LoadFailure({ error, retrying, onRetry }: LoadFailureProps) {
  const t = useT()
  if (error instanceof ApiError && error.code === 'second_factor_required') {
    return (
      <Suspense fallback={null}>
        <SecondFactorWanted onDone={onRetry} />
      </Suspense>
    )
  }
  return (
    <div className={styles.failure} role="alert">
      <p>{error.message}</p>
      {error instanceof ApiError && error.requestId && (
        <p className={styles.id}>{t('error.requestId', { id: error.requestId })}</p>
      )}
      <Button loading={retrying} onClick={onRetry}>
        {t('common.retry')}
      </Button>
    </div>
  )
}
