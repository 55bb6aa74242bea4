import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import type { User } from '../../api/account'
import { passkeysQuery, removePasskey, type Passkey } from '../../api/security'
import { ConfirmDialog } from '../../components/ConfirmDialog'
import { FormError } from '../../components/form/FormError'
import { Loaded } from '../../components/Loaded'
import { useT } from '../../i18n/useT'
import { passkeysSupported } from '../../session/passkey'
import { useEnvironment } from '../../session/useEnvironment'
import { reloadUser } from '../../session/session'
import { PasskeyList } from './PasskeyList'
import { AddPasskeyDialog, RenamePasskeyDialog } from './PasskeyNameDialog'
import { Section } from './Section'
import styles from './Section.module.css'

type Asking = { what: 'add' } | { what: 'rename' | 'remove'; passkey: Passkey }

export function PasskeysSection({ user }: { user: User }) {
  const t = useT()
  const client = useQueryClient()
  // If there are none, reserve no space that would shift later.
  const none = user.mfa.passkeys === 0
  const passkeys = useQuery({ ...passkeysQuery, placeholderData: none ? [] : undefined })
  const [asking, setAsking] = useState<Asking | null>(null)
  const [status, setStatus] = useState('')
  const close = () => setAsking(null)

  function finish(said: string) {
    close()
    setStatus(said)
    void client.invalidateQueries(passkeysQuery)
    // These determine whether the user has a second factor.
    void reloadUser().catch(() => {})
  }

  const supported = passkeysSupported(useEnvironment()?.passkey_domain)
  return (
    <Section
      name="passkeys"
      action={
        supported && <Button onClick={() => setAsking({ what: 'add' })}>{t('passkey.add')}</Button>
      }
    >
      <p role="status" className={styles.status}>
        {status}
      </p>
      {!supported && <p className={styles.fact}>{t('passkey.unsupported')}</p>}
      <Loaded query={passkeys} skeleton={2}>
        {(found) => (
          <PasskeyList
            passkeys={found}
            onRename={(passkey) => setAsking({ what: 'rename', passkey })}
            onRemove={(passkey) => setAsking({ what: 'remove', passkey })}
          />
        )}
      </Loaded>
      {asking?.what === 'add' && (
        <AddPasskeyDialog onDone={() => finish(t('passkey.added'))} onCancel={close} />
      )}
      {asking?.what === 'rename' && (
        <RenamePasskeyDialog
          passkey={asking.passkey}
          onDone={() => finish(t('common.saved'))}
          onCancel={close}
        />
      )}
      {asking?.what === 'remove' && (
        <RemoveDialog
          passkey={asking.passkey}
          onDone={() => finish(t('passkey.removed'))}
          onCancel={close}
        />
      )}
    </Section>
  )
}

interface RemoveDialogProps {
  passkey: Passkey
  onDone: () => void
  onCancel: () => void
}

function RemoveDialog({ passkey, onDone, onCancel }: RemoveDialogProps) {
  const t = useT()
  const removing = useMutation({ mutationFn: () => removePasskey(passkey.id), onSuccess: onDone })
  return (
    <ConfirmDialog
      open
      title={t('passkey.removeTitle', { name: passkey.name })}
      confirm={t('passkey.remove')}
      danger
      busy={removing.isPending}
      onConfirm={() => removing.mutate()}
      onCancel={onCancel}
    >
      <FormError>{removing.error?.message}</FormError>
      {t('passkey.removeText')}
    </ConfirmDialog>
  )
}
