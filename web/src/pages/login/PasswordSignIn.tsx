import { useForm } from 'react-hook-form'
import { signIn } from '../../api/account'
import { EmailField } from '../../components/form/EmailField'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { PasswordInput } from '../../components/form/PasswordInput'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { arrive } from '../../session/arrive'
import { startUp } from '../../session/session'

export interface SignInFormProps {
  search: string
  address?: string
  onAddress?: (address: string) => void
  autoFocus?: boolean
}

export function PasswordSignIn({ search, address, onAddress, autoFocus }: SignInFormProps) {
  const t = useT()
  const form = useForm({ mode: 'onBlur', defaultValues: { email: address ?? '', password: '' } })
  const { control } = form
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async ({ email, password }) => {
      const user = await signIn({ email: email.trim(), password })
      // The regions decide where `redirect` may lead. Without them only our own origin counts.
      await startUp().catch(() => {})
      return user
    },
    done: (user) => arrive(user, search),
  })
  // With the address already there, the password is what is missing.
  const knowsAddress = Boolean(address)

  return (
    <form noValidate onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      <EmailField
        control={control}
        name="email"
        onType={onAddress}
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
