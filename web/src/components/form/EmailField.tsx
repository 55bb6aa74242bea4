import type { Control, FieldPath, FieldValues } from 'react-hook-form'
import { useT } from '../../i18n/useT'
import { Field } from './Field'
import { emailRule } from './rules'
import { TextInput } from './TextInput'

interface EmailFieldProps<Values extends FieldValues> {
  control: Control<Values>
  name: FieldPath<Values>
  hint?: string
  readOnly?: boolean
  autoFocus?: boolean
  size?: 'middle' | 'large'
  label?: string
  /** Offers passkeys together with the addresses the browser knows. */
  passkeys?: boolean
  /** Reports typing, for other parts of the page that use the address. */
  onType?: (address: string) => void
}

export function EmailField<Values extends FieldValues>(props: EmailFieldProps<Values>) {
  const { control, name, hint, readOnly, autoFocus, size = 'large', passkeys, onType } = props
  const t = useT()
  const label = props.label ?? t('field.email')
  return (
    <Field control={control} name={name} label={label} hint={hint} rules={emailRule(t)}>
      {(input) => (
        <TextInput
          {...input}
          inputMode="email"
          autoComplete={passkeys ? 'username webauthn' : 'username'}
          autoCapitalize="none"
          spellCheck={false}
          size={size}
          readOnly={readOnly}
          variant={readOnly ? 'filled' : undefined}
          autoFocus={autoFocus}
          onChange={(event) => {
            input.onChange(event)
            onType?.(event.target.value)
          }}
        />
      )}
    </Field>
  )
}
