import { useForm } from 'react-hook-form'
import { createAccessKey, type NewAccessKey } from '../../../api/keys'
import { FormDialog } from '../../../components/FormDialog'
import { useSubmit } from '../../../components/form/useSubmit'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { useUser } from '../../../session/useUser'
import { endOf, type ChosenExpiry } from './expiry'
import { ExpiryFields } from './ExpiryFields'
import { KeyNameField } from './KeyNameField'

interface CreateKeyDialogProps {
  onDone: (made: NewAccessKey) => void
  onCancel: () => void
}

const AT_FIRST: ChosenExpiry & { name: string } = { name: '', expiry: '365', day: '' }

export function CreateKeyDialog({ onDone, onCancel }: CreateKeyDialogProps) {
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const zone = useUser()?.timezone ?? 'UTC'
  const form = useForm({ mode: 'onBlur', defaultValues: AT_FIRST })
  const submitting = useSubmit(form, {
    send: ({ name, ...chosen }) => {
      const end = endOf(chosen, zone, Date.now())
      const expires_at = end === null ? null : new Date(end).toISOString()
      return watched(createAccessKey(app.id, { name: name.trim(), expires_at }))
    },
    done: onDone,
  })
  return (
    <FormDialog
      title={t('accessKey.create')}
      width={480}
      submitting={submitting}
      submit={t('accessKey.createSubmit')}
      onCancel={onCancel}
    >
      <KeyNameField control={form.control} hint={t('accessKey.nameHint')} />
      <ExpiryFields form={form} />
    </FormDialog>
  )
}
