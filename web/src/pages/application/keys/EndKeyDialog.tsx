/** Before a key is disabled or deleted: who uses it, because they will be rejected. */
import { useQuery } from '@tanstack/react-query'
import {
  ADDRESSES_MOST,
  deleteAccessKey,
  keyUseQuery,
  updateAccessKey,
  type AccessKey,
  type KeyUse,
} from '../../../api/keys'
import { DangerDialog } from '../../../components/DangerDialog'
import { Moment } from '../../../components/Moment'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { LastUse } from './facts'
import styles from './keys.module.css'

interface EndKeyDialogProps {
  action: 'disable' | 'delete'
  accessKey: AccessKey
  onDone: () => void
  onCancel: () => void
}

export function EndKeyDialog({ action, accessKey, onDone, onCancel }: EndKeyDialogProps) {
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const use = useQuery(keyUseQuery(app.id, accessKey.id))
  const send = (): Promise<unknown> =>
    action === 'delete'
      ? deleteAccessKey(app.id, accessKey.id)
      : updateAccessKey(app.id, accessKey.id, { enabled: false })
  return (
    <DangerDialog<KeyUse, unknown>
      title={t(`accessKey.${action}Title`, { name: accessKey.name })}
      confirm={t(`accessKey.do.${action}`)}
      // Disabling can be undone with a click.
      name={action === 'delete' ? accessKey.name : undefined}
      impact={use}
      hits={({ messages_7d }) => [
        { label: t('accessKey.hit.messages'), count: messages_7d },
        { label: t('keys.addresses'), count: accessKey.addresses, most: ADDRESSES_MOST },
      ]}
      send={() => watched(send())}
      onDone={onDone}
      onCancel={onCancel}
    >
      {(known) => (
        <>
          <RecentUse use={known} />
          <p>{t(`accessKey.${action}Text`)}</p>
        </>
      )}
    </DangerDialog>
  )
}

function RecentUse({ use }: { use: KeyUse }) {
  const t = useT()
  return (
    <div>
      <p>
        {t('accessKey.lastUse')} <LastUse of={use} />
      </p>
      {use.addresses.length > 0 && (
        <ul className={styles.addresses} aria-label={t('accessKey.usedFrom')}>
          {use.addresses.map(({ ip, last_used_at }) => (
            <li key={ip}>
              <code>{ip}</code> <Moment at={last_used_at} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
