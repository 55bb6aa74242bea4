/**
 * Input for a new password: its rule, whether the server accepts it, and how to make it stronger.
 */
import { useWatch, type Control, type FieldPath, type FieldValues } from 'react-hook-form'
import type { PasswordVerdict } from '../../api/account'
import { useT } from '../../i18n/useT'
import { Field } from './Field'
import { PasswordInput } from './PasswordInput'
import { PASSWORD_LENGTH, passwordRule } from './rules'
import { assessPassword, type Strength } from './strength'
import { StrengthMeter } from './StrengthMeter'
import { usePasswordVerdict } from './usePasswordVerdict'

interface NewPasswordFieldProps<Values extends FieldValues> {
  control: Control<Values>
  name: FieldPath<Values>
  label: string
  /** What a guesser would know about the user: address and name. */
  personal: string[]
  /** The token of the link that opened the form: the server knows who it was sent to. */
  token?: string
  size?: 'large'
  autoFocus?: boolean
}

/** Aligns the meter with the server: at least "good" if it accepts the password, less if not. */
function reconcile(seen: Strength, verdict: PasswordVerdict | null): Strength {
  if (!verdict || seen.level === 0) return seen
  if (verdict.acceptable) return { level: seen.level < 3 ? 3 : seen.level, advice: null }
  return seen.level < 3 ? seen : { level: 2, advice: null }
}

export function NewPasswordField<Values extends FieldValues>(props: NewPasswordFieldProps<Values>) {
  const { control, name, label, personal, token, size, autoFocus } = props
  const t = useT()
  const typed: string = useWatch({ control, name })
  const verdict = usePasswordVerdict(typed, personal, token)
  const { level, advice } = reconcile(assessPassword(typed, personal), verdict)
  const refused = verdict?.acceptable === false ? verdict.message : null
  const rule = t('field.password.rule', PASSWORD_LENGTH)
  const hint = advice ? t(`strength.${advice}`) : (refused ?? rule)
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
