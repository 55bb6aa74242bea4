import { useForm } from 'react-hook-form'
import { signIn } from '../../api/account'
import { EmailField } from '../../components/form/EmailField'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { PasswordInput } from '../../components/form/PasswordInput'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { proceed, withRegions, type SignInCourse } from '../../session/arrive'

export interface SignInFormProps extends SignInCourse {
  address?: string
  onAddress?: (address: string) => void
  autoFocus?: boolean
  /** The browser may offer passkeys in the address field. */
  passkeys?: boolean
}

export function PasswordSignIn(props: SignInFormProps) {
  const { address, onAddress, autoFocus, passkeys } = props
  const t = useT()
  const form = useForm({ mode: 'onBlur', defaultValues: { email: address ?? '', password: '' } })
  const { control } = form
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ email, password }) => withRegions(signIn({ email: email.trim(), password })),
    done: (answer) => proceed(answer, props),
  })
  // If the address is known, focus the password.
  const knowsAddress = Boolean(address)

  return (
    <form noValidate onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      <EmailField
        control={control}
        name="email"
        onType={onAddress}
        passkeys={passkeys}
        autoFocus={autoFocus && !knowsAddress}
      />
      <Field
        control={control}
        name="password"
        label={t('field.password')}
        rules={{ required: t('field.password.required') }}
      >
        {(input) => (
          <PasswordInput
            {...input}
            autoComplete="current-password"
            size="large"
            autoFocus={autoFocus && knowsAddress}
          />
        )}
      </Field>
      <SubmitButton size="large" block sending={sending} retryAt={failure?.retryAt}>
        {t('login.submit')}
      </SubmitButton>
    </form>
  )
}
