import { Button } from 'antd'
import { useForm } from 'react-hook-form'
import { registerProfile, type RegisterToken } from '../../api/account'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { PasswordInput } from '../../components/form/PasswordInput'
import { TextInput } from '../../components/form/TextInput'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { openAppEntry } from '../../session/appEntry'
import { rememberUser } from '../../session/session'
import { profileRules } from './profileRules'
import styles from './ProfileForm.module.css'

export function ProfileForm({ token, link }: { token: string; link: RegisterToken }) {
  const t = useT()
  // The set-up link of a new instance was mailed to nobody, so it carries no address.
  const asksAddress = link.email == null
  // Whoever was invited joins a team that has its name already.
  const asksTeam = link.kind !== 'invitation'

  const form = useForm({
    mode: 'onBlur',
    defaultValues: { email: link.email ?? '', name: '', password: '', organization_name: '' },
  })
  const { control } = form
  const rules = profileRules(t)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: (values) =>
      registerProfile({
        token,
        name: values.name.trim(),
        password: values.password,
        // The team's days begin where the person is.
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        ...(asksAddress && { email: values.email.trim() }),
        ...(asksTeam && { organization_name: values.organization_name.trim() }),
      }),
    done: (user) => {
      rememberUser(user)
      openAppEntry(user.last_app, { replace: true })
    },
  })

  return (
    <>
      <h1 className={styles.title}>{t(`validator.${link.kind}.title`)}</h1>
      <p className={styles.lead}>{t(`validator.${link.kind}.lead`)}</p>
      <form noValidate onSubmit={onSubmit}>
        <FormError>{failure?.message}</FormError>
        <Field control={control} name="email" label={t('field.email')} rules={rules.email}>
          {(input) => (
            <TextInput
              {...input}
              inputMode="email"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              size="large"
              readOnly={!asksAddress}
              autoFocus={asksAddress}
            />
          )}
        </Field>
        <Field control={control} name="name" label={t('field.name')} rules={rules.name}>
          {(input) => (
            <TextInput {...input} autoComplete="name" size="large" autoFocus={!asksAddress} />
          )}
        </Field>
        <Field
          control={control}
          name="password"
          label={t('field.password')}
          hint={rules.passwordHint}
          rules={rules.password}
        >
          {(input) => <PasswordInput {...input} autoComplete="new-password" size="large" />}
        </Field>
        {asksTeam && (
          <Field
            control={control}
            name="organization_name"
            label={t('field.team')}
            rules={rules.team}
          >
            {(input) => <TextInput {...input} autoComplete="organization" size="large" />}
          </Field>
        )}
        <Button type="primary" htmlType="submit" size="large" block loading={sending}>
          {t(`validator.${link.kind}.submit`)}
        </Button>
      </form>
    </>
  )
}
