/** Asks for a team's name, to create or rename it. */
import { useForm } from 'react-hook-form'
import { FormDialog } from '../FormDialog'
import { Field } from '../form/Field'
import { filled } from '../form/rules'
import { TextInput } from '../form/TextInput'
import { useSubmit } from '../form/useSubmit'
import { useT } from '../../i18n/useT'

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
  const submitting = useSubmit(form, {
    send: (values) => save(values.name.trim()),
    done: onDone,
  })
  return (
    <FormDialog title={title} submitting={submitting} submit={submit} onCancel={onCancel}>
      <Field
        control={form.control}
        name="name"
        label={t('field.team')}
        hint={hint}
        rules={filled(t('field.team.required'))}
      >
        {(input) => <TextInput {...input} autoComplete="off" />}
      </Field>
    </FormDialog>
  )
}
