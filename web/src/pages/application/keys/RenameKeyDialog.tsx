import { useForm } from 'react-hook-form'
import { updateAccessKey, type AccessKey } from '../../../api/keys'
import { FormDialog } from '../../../components/FormDialog'
import { useSubmit } from '../../../components/form/useSubmit'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { KeyNameField } from './KeyNameField'

interface RenameKeyDialogProps {
  accessKey: AccessKey
  onDone: (said: string) => void
  onCancel: () => void
}

export function RenameKeyDialog({ accessKey, onDone, onCancel }: RenameKeyDialogProps) {
  const t = useT()
  const { app } = useApp()
  const watched = useWatched()
  const form = useForm({ mode: 'onBlur', defaultValues: { name: accessKey.name } })
  const submitting = useSubmit(form, {
    send: ({ name }) => watched(updateAccessKey(app.id, accessKey.id, { name: name.trim() })),
    done: ({ name }) => onDone(t('accessKey.renamed', { name })),
  })
  return (
    <FormDialog
      title={t('accessKey.renameTitle')}
      submitting={submitting}
      submit={t('common.save')}
      onCancel={onCancel}
    >
      <KeyNameField control={form.control} />
    </FormDialog>
  )
}
