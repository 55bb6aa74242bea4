import { Button } from 'antd'
import { useForm } from 'react-hook-form'
import { updateAccessKey, type AccessKey } from '../../../api/keys'
import { FormDialog } from '../../../components/FormDialog'
import { FormError } from '../../../components/form/FormError'
import { SubmitButton } from '../../../components/form/SubmitButton'
import { useSubmit } from '../../../components/form/useSubmit'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { KeyNameField } from './KeyNameField'
import dialog from '../../../components/dialog.module.css'

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
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ name }) => watched(updateAccessKey(app.id, accessKey.id, { name: name.trim() })),
    done: ({ name }) => onDone(t('accessKey.renamed', { name })),
  })
  return (
    <FormDialog title={t('accessKey.renameTitle')} onCancel={onCancel}>
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <KeyNameField control={form.control} />
        <div className={dialog.actions}>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <SubmitButton sending={sending} retryAt={failure?.retryAt}>
            {t('common.save')}
          </SubmitButton>
        </div>
      </form>
    </FormDialog>
  )
}
