import { Button } from 'antd'
import { useForm } from 'react-hook-form'
import { updateAccessKey, type AccessKey } from '../../../api/keys'
import { FormDialog } from '../../../components/FormDialog'
import { FormError } from '../../../components/form/FormError'
import { SubmitButton } from '../../../components/form/SubmitButton'
import { useSubmit } from '../../../components/form/useSubmit'
import { useT } from '../../../i18n/useT'
import { useApp, useWatched } from '../../../session/app'
import { useUser } from '../../../session/useUser'
import { chosenOf, endOf } from './expiry'
import { ExpiryFields } from './ExpiryFields'
import dialog from '../../../components/dialog.module.css'

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
  const { sending, failure, onSubmit } = useSubmit(form, {
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
      onCancel={onCancel}
    >
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <ExpiryFields form={form} />
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
