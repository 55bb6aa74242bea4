import { Button } from 'antd'
import { ADDRESSES_MOST, type ApiKey, type PreviousKey } from '../../../api/keys'
import { formatCount } from '../../../components/table/Counted'
import { useNow } from '../../../components/useNow'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { plannedTime } from '../../../lib/time'
import { useUser } from '../../../session/useUser'
import { LastUse } from './facts'
import { previousUse, type PreviousUse } from './previous'
import styles from './keys.module.css'

interface PreviousValueProps {
  apiKey: ApiKey
  previous: PreviousKey
  onDrop: () => void
}

/** The value before a reset: how long it still works, and whether anyone still uses it. */
export function PreviousValue({ apiKey, previous, onDrop }: PreviousValueProps) {
  const t = useT()
  const { mayChange } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const use = previousUse(apiKey, useNow())
  const safe = use.state !== 'used'
  return (
    <div className={styles.previous} data-safe={safe}>
      <div className={styles.previousText}>
        <p>
          <strong>{t('keys.previous')}</strong>{' '}
          {t('keys.previousUntil', {
            at: plannedTime(Date.parse(previous.valid_until), language, zone),
          })}
        </p>
        <p className={styles.verdict}>
          <Verdict use={use} previous={previous} />
        </p>
      </div>
      {mayChange('key:manage') && (
        <Button
          size="small"
          danger={!safe}
          aria-label={t(`keys.dropOf.${apiKey.kind}`)}
          onClick={onDrop}
        >
          {t('keys.drop')}
        </Button>
      )}
    </div>
  )
}

function Verdict({ use, previous }: { use: PreviousUse; previous: PreviousKey }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  switch (use.state) {
    case 'never':
      return t('keys.previousNever')
    case 'quiet':
      return t('keys.previousQuiet')
    case 'idle':
      return t('keys.previousIdle', { days: use.days })
    case 'used':
      return (
        <>
          {t('keys.previousUsed', {
            count: formatCount(previous.addresses, language, ADDRESSES_MOST),
          })}{' '}
          <LastUse of={previous} />
        </>
      )
  }
}
