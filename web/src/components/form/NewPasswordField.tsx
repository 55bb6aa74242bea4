/** A password being chosen: its rule, how strong it is, and what would make it stronger. */
import { useWatch, type Control, type FieldPath, type FieldValues } from 'react-hook-form'
import { useT } from '../../i18n/useT'
import { Field } from './Field'
import { PasswordInput } from './PasswordInput'
import { PASSWORD_LENGTH, passwordRule } from './rules'
import { assessPassword } from './strength'
import { StrengthMeter } from './StrengthMeter'

interface NewPasswordFieldProps<Values extends FieldValues> {
  control: Control<Values>
  name: FieldPath<Values>
  label: string
  /** What a guesser would know about the person: the address, the name. */
  personal: string[]
  size?: 'large'
  autoFocus?: boolean
}

export function NewPasswordField<Values extends FieldValues>(props: NewPasswordFieldProps<Values>) {
  const { control, name, label, personal, size, autoFocus } = props
  const t = useT()
  const typed: string = useWatch({ control, name })
  const { level, advice } = assessPassword(typed, personal)
  const hint = advice ? t(`strength.${advice}`) : t('field.password.rule', PASSWORD_LENGTH)
  return (
    <Field control={control} name={name} label={label} hint={hint} rules={passwordRule(t)}>
      {(input) => (
        <>
          <PasswordInput {...input} autoComplete="new-password" size={size} autoFocus={autoFocus} />
          <StrengthMeter level={level} />
        </>
      )}
    </Field>
  )
}
