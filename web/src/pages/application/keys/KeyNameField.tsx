import type { Control, FieldPath } from 'react-hook-form'
import { Field } from '../../../components/form/Field'
import { TextInput } from '../../../components/form/TextInput'
import { useT } from '../../../i18n/useT'

interface KeyNameFieldProps<Values extends { name: string }> {
  control: Control<Values>
  hint?: string
}

export function KeyNameField<Values extends { name: string }>(props: KeyNameFieldProps<Values>) {
  const t = useT()
  return (
    <Field
      control={props.control}
      name={'name' as FieldPath<Values>}
      label={t('accessKey.name')}
      hint={props.hint}
      rules={{
        validate: (typed: unknown) => String(typed).trim() !== '' || t('accessKey.nameRequired'),
      }}
    >
      {(input) => <TextInput {...input} autoComplete="off" />}
    </Field>
  )
}
