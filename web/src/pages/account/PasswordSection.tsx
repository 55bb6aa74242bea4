import { useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { User } from '../../api/account'
import { allSessions, changePassword } from '../../api/profile'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { NewPasswordField } from '../../components/form/NewPasswordField'
import { PasswordInput } from '../../components/form/PasswordInput'
import { SaveRow } from '../../components/form/SaveRow'
import { useUnsaved } from '../../components/form/unsaved'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { goTo } from '../../lib/navigation'
import { paths } from '../../paths'
import { Section } from './Section'
import styles from './Section.module.css'

export function PasswordSection({ user }: { user: User }) {
  return user.has_password ? <ChangePassword user={user} /> : <NoPassword user={user} />
}

/**
 * For users who came by single sign-on: there is no password to change, and setting one is
 * confirmed by email.
 */
function NoPassword({ user }: { user: User }) {
  const t = useT()
  return (
    <Section name="password" lead={t('account.password.none')}>
      <Button onClick={() => goTo(paths.forgetPassword(), { state: { email: user.email } })}>
        {t('account.password.byMail')}
      </Button>
    </Section>
  )
}

function ChangePassword({ user }: { user: User }) {
  const t = useT()
  const client = useQueryClient()
  const [saved, setSaved] = useState(false)
  const form = useForm({
    mode: 'onBlur',
    defaultValues: { current_password: '', new_password: '' },
  })
  const { control, formState } = form
  useUnsaved(formState.isDirty)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: changePassword,
    done: () => {
      form.reset()
      setSaved(true)
      void client.invalidateQueries(allSessions)
    },
  })
  return (
    <Section name="password">
      <form noValidate className={styles.form} onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        {/* Password managers save the new password under the address they find in the form. */}
        <input
          hidden
          readOnly
          type="text"
          name="username"
          autoComplete="username"
          value={user.email}
        />
        <Field
          control={control}
          name="current_password"
          label={t('field.currentPassword')}
          rules={{ required: t('field.currentPassword.required') }}
        >
          {(input) => <PasswordInput {...input} autoComplete="current-password" />}
        </Field>
        <NewPasswordField
          control={control}
          name="new_password"
          label={t('field.newPassword')}
          personal={[user.email, user.name]}
        />
        <SaveRow
          label={t('account.password.submit')}
          sending={sending}
          retryAt={failure?.retryAt}
          saved={saved && !formState.isDirty ? t('account.password.saved') : ''}
        />
      </form>
    </Section>
  )
}
