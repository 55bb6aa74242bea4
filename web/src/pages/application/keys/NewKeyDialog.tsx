import { DownloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { NewAccessKey } from '../../../api/keys'
import { CopyButton } from '../../../components/CopyButton'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { saveFile } from '../../../lib/saveFile'
import { envFileOf } from './envFile'
import { SecretDialog } from './SecretDialog'

const FILE = 'atrium-access-key.env'

/** A newly created key. Its secret is only in this answer. */
export function NewKeyDialog(props: { accessKey: NewAccessKey; onStored: () => void }) {
  const { accessKey, onStored } = props
  const t = useT()
  const { app } = useApp()
  const settings = envFileOf(app, accessKey)
  return (
    <SecretDialog
      title={t('accessKey.newTitle', { name: accessKey.name })}
      lead={t('accessKey.newLead')}
      values={[
        { label: t('accessKey.id'), value: accessKey.id, copy: t('accessKey.copyId') },
        { label: t('accessKey.secret'), value: accessKey.secret, copy: t('accessKey.copySecret') },
      ]}
      onStored={onStored}
    >
      <CopyButton text={settings}>{t('accessKey.copyEnv')}</CopyButton>
      <Button
        icon={<DownloadOutlined aria-hidden />}
        onClick={() => saveFile(FILE, new Blob([settings], { type: 'text/plain' }))}
      >
        {t('accessKey.downloadEnv')}
      </Button>
    </SecretDialog>
  )
}
