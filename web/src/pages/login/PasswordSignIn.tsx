import { Button } from 'antd'
import { useForm } from 'react-hook-form'
import { signIn } from '../../api/account'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { PasswordInput } from '../../components/form/PasswordInput'
import { TextInput } from '../../components/form/TextInput'
import { useSubmit } from '../../components/form/useSubmit'
import { useCountdown } from '../../components/useCountdown'
import { useT } from '../../i18n/useT'
import { follow } from '../../session/appEntry'
import { destinationFor, rememberUser, startUp } from '../../session/session'

export function PasswordSignIn({ search }: { search: string }) {
  const t = useT()
  const form = useForm({ mode: 'onBlur', defaultValues: { email: '', password: '' } })
  const { control } = form
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async ({ email, password }) => {
      const user = await signIn({ email: email.trim(), password })
      // The regions decide where `redirect` may lead. Without them only our own origin counts.
      await startUp().catch(() => {})
      return user
    },
    done: (user) => {
      rememberUser(user)
      follow(destinationFor(user, search), { replace: true })
    },
  })
  const wait = useCountdown(failure?.retryAt ?? null)

  return (
    <form noValidate onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      <Field
        control={control}
        name="email"
        label={t('field.email')}
        rules={{ validate: (value) => value.trim() !== '' || t('field.email.required') }}
      >
        {(input) => (
          <TextInput
            {...input}
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            size="large"
            autoFocus
          />
        )}
      </Field>
      <Field
        control={control}
        name="password"
        label={t('field.password')}
        rules={{ required: t('field.password.required') }}
      >
        {(input) => <PasswordInput {...input} autoComplete="current-password" size="large" />}
      </Field>
      <Button
        type="primary"
        htmlType="submit"
        size="large"
        block
        loading={sending}
        disabled={wait > 0}
      >
        {wait > 0 ? t('login.wait', { seconds: wait }) : t('login.submit')}
      </Button>
    </form>
  )
}
