/** The name of a team that is made or renamed. */
import { Button } from 'antd'
import { useForm } from 'react-hook-form'
import { FormDialog } from '../FormDialog'
import { Field } from '../form/Field'
import { FormError } from '../form/FormError'
import { filled } from '../form/rules'
import { SubmitButton } from '../form/SubmitButton'
import { TextInput } from '../form/TextInput'
import { useSubmit } from '../form/useSubmit'
import { useT } from '../../i18n/useT'
import dialog from '../dialog.module.css'

interface TeamNameDialogProps<Answer> {
  title: string
  submit: string
  name?: string
  hint?: string
  save: (name: string) => Promise<Answer>
  onDone: (answer: Answer) => void
  onCancel: () => void
}

export function TeamNameDialog<Answer>(props: TeamNameDialogProps<Answer>) {
  const { title, submit, name = '', hint, save, onDone, onCancel } = props
  const t = useT()
  const form = useForm({ mode: 'onBlur', defaultValues: { name } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: (values) => save(values.name.trim()),
    done: onDone,
  })
  return (
    <FormDialog title={title} onCancel={onCancel}>
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <Field
          control={form.control}
          name="name"
          label={t('field.team')}
          hint={hint}
          rules={filled(t('field.team.required'))}
        >
          {(input) => <TextInput {...input} autoComplete="off" />}
        </Field>
        <div className={dialog.actions}>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <SubmitButton sending={sending} retryAt={failure?.retryAt}>
            {submit}
          </SubmitButton>
        </div>
      </form>
    </FormDialog>
  )
}
