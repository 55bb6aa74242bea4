import { Button } from 'antd'
import type { Passkey } from '../../api/security'
import { Moment } from '../../components/Moment'
import { useT } from '../../i18n/useT'
import styles from './PasskeyList.module.css'

interface PasskeyListProps {
  passkeys: Passkey[]
  onRename: (passkey: Passkey) => void
  onRemove: (passkey: Passkey) => void
}

export function PasskeyList({ passkeys, onRename, onRemove }: PasskeyListProps) {
  const t = useT()
  if (passkeys.length === 0) return <p className={styles.empty}>{t('passkey.none')}</p>
  return (
    <ul className={styles.list} aria-labelledby="passkeys-title">
      {passkeys.map((passkey) => (
        <li key={passkey.id} className={styles.passkey}>
          <div className={styles.words}>
            <p className={styles.name}>{passkey.name}</p>
            <p className={styles.times}>
              <span>
                <Moment after={t('passkey.created')} at={passkey.created_at} />
              </span>
              <span>
                {passkey.last_used_at ? (
                  <Moment after={t('passkey.lastUsed')} at={passkey.last_used_at} />
                ) : (
                  t('passkey.neverUsed')
                )}
              </span>
            </p>
          </div>
          <Button size="small" onClick={() => onRename(passkey)}>
            {t('passkey.rename')}
          </Button>
          <Button size="small" danger onClick={() => onRemove(passkey)}>
            {t('passkey.remove')}
          </Button>
        </li>
      ))}
    </ul>
  )
}
