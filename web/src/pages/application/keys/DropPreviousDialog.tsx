import { dropPreviousKey, type ApiKey } from '../../../api/keys'
import { DangerDialog } from '../../../components/DangerDialog'
import { useNow } from '../../../components/useNow'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { previousUse } from './previous'

interface DropPreviousDialogProps {
  apiKey: ApiKey
  onDone: () => void
  onCancel: () => void
}

export function DropPreviousDialog({ apiKey, onDone, onCancel }: DropPreviousDialogProps) {
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const used = previousUse(apiKey, useNow()).state === 'used'
  return (
    <DangerDialog
      title={t(`keys.dropTitle.${apiKey.kind}`)}
      confirm={t('keys.dropConfirm')}
      send={() => watched(dropPreviousKey(app.id, apiKey.kind))}
      onDone={onDone}
      onCancel={onCancel}
    >
      {used && <p>{t('keys.dropUsed')}</p>}
      <p>{t('keys.dropText')}</p>
    </DangerDialog>
  )
}
