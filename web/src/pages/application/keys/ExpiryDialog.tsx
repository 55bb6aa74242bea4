import { useForm } from 'react-hook-form'
import { updateAccessKey, type AccessKey } from '../../../api/keys'
import { FormDialog } from '../../../components/FormDialog'
import { useSubmit } from '../../../components/form/useSubmit'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { useUser } from '../../../session/useUser'
import { chosenOf, endOf } from './expiry'
import { ExpiryFields } from './ExpiryFields'

interface ExpiryDialogProps {
  accessKey: AccessKey
  onDone: (said: string) => void
  onCancel: () => void
}

export function ExpiryDialog({ accessKey, onDone, onCancel }: ExpiryDialogProps) {
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const zone = useUser()?.timezone ?? 'UTC'
  const form = useForm({
    mode: 'onBlur',
    defaultValues: { name: accessKey.name, ...chosenOf(accessKey, zone) },
  })
  const submitting = useSubmit(form, {
    send: (chosen) => {
      const end = endOf(chosen, zone, Date.now())
      const expires_at = end === null ? null : new Date(end).toISOString()
      return watched(updateAccessKey(app.id, accessKey.id, { expires_at }))
    },
    done: ({ name }) => onDone(t('accessKey.expiryChanged', { name })),
  })
  return (
    <FormDialog
      title={t('accessKey.expiryTitle', { name: accessKey.name })}
      width={480}
      submitting={submitting}
      submit={t('common.save')}
      onCancel={onCancel}
    >
      <ExpiryFields form={form} />
    </FormDialog>
  )
}
