/** A dialog around one form, including the form's error and buttons. */
import { Button } from 'antd'
import { useT } from '../i18n/useT'
import { Dialog, type DialogProps } from './Dialog'
import { FormError } from './form/FormError'
import { SubmitButton } from './form/SubmitButton'
import type { Submitting } from './form/useSubmit'
import styles from './dialog.module.css'

interface DialogFormProps {
  /** The result of `useSubmit`; without it, a dialog could neither fail nor look busy. */
  submitting: Submitting
  /** The submit button's label, such as "Save". */
  submit: string
  danger?: boolean
  disabled?: boolean
  /** Shown above everything else. */
  lead?: React.ReactNode
  onCancel: () => void
  children?: React.ReactNode
}

/** Only the form, for dialogs that show something else before or after it. */
export function DialogForm(props: DialogFormProps) {
  const { submitting, submit, danger, disabled, lead, onCancel, children } = props
  const { sending, failure, onSubmit } = submitting
  const t = useT()
  return (
    <form noValidate onSubmit={onSubmit}>
      {lead && <p className={styles.lead}>{lead}</p>}
      <FormError>{failure?.message}</FormError>
      {children}
      <div className={styles.actions}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <SubmitButton
          sending={sending}
          retryAt={failure?.retryAt}
          danger={danger}
          disabled={disabled}
        >
          {submit}
        </SubmitButton>
      </div>
    </form>
  )
}

type FormDialogProps = DialogFormProps & Pick<DialogProps, 'title' | 'width'>

export function FormDialog({ title, width, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} width={width} onCancel={form.onCancel}>
      <DialogForm {...form} />
    </Dialog>
  )
}
