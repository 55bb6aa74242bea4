import { Button } from 'antd'
import { useCountdown } from '../../../components/useCountdown'
import { useT } from '../../../i18n/useT'
import type { LiveState } from './keepWatching'
import styles from './live.module.css'

interface LiveStatusProps {
  state: LiveState
  paused: boolean
  onRetry: () => void
}

/** Whether the stream is open; if not, why, and when the next try is. */
export function LiveStatus({ state, paused, onRetry }: LiveStatusProps) {
  const t = useT()
  const { kind } = state
  const error = kind === 'waiting' || kind === 'refused' ? state.error : null
  return (
    <div className={styles.state} data-state={kind === 'live' && paused ? 'paused' : kind}>
      <p role="status">
        {kind === 'live' && paused ? t('live.state.paused') : t(`live.state.${kind}`)}
      </p>
      {error && <p className={styles.reason}>{error.message}</p>}
      {kind === 'waiting' && <RetryCountdown at={state.retryAt} />}
      {(kind === 'waiting' || kind === 'refused') && (
        <Button size="small" onClick={onRetry}>
          {t('live.retry')}
        </Button>
      )}
    </div>
  )
}

/** Not in the live region, because it changes every second. */
function RetryCountdown({ at }: { at: number }) {
  const t = useT()
  const seconds = useCountdown(at)
  return seconds > 0 ? <p className={styles.reason}>{t('live.again', { seconds })}</p> : null
}
